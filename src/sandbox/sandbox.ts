/**
 * The sandbox: runs a command that somebody else wrote, so that it can change its workspace and nothing
 * else. Knows bubblewrap, limits and processes; refuses to know who asked, why, or whether it was allowed.
 *
 * A workspace belongs to the sandbox's user: when the service is root, `run` first gives root's files in
 * it to that user. Nothing is ever run without a sandbox unless `kind: none` was chosen by name.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import type { Logger } from '../protocol/ports.ts'
import type { Sandbox, SandboxCommand, SandboxResult, SandboxStatus } from '../protocol/sandbox.ts'
import { type Account, findAccount } from './account.ts'
import { type Broker, createBroker } from './broker.ts'
import { baseEnvironment, bubblewrapLaunch, type Confinement, type Programs } from './bubblewrap.ts'
import type { Job, JobResult } from './job.ts'
import { createConfinedLauncher, createOpenLauncher, type ProgramLauncher } from './program.ts'
import { canReach, DEFAULT_PATH, findProgram } from './programs.ts'
import { seccompProgram } from './seccomp.ts'
import { machine } from './syscalls.ts'

/** The `sandbox` part of `yizhan.yaml`. */
export interface SandboxConfig {
  readonly kind: 'bubblewrap' | 'none'
  readonly network: 'none' | 'host'
  readonly memoryMb: number
  readonly pids: number
  readonly fileMb: number
  /** Local account that commands run as when the service is root; never root. */
  readonly user: string
}

export interface SandboxDeps {
  readonly logger: Logger
  /** Where programs are looked for, as `PATH` writes it. */
  readonly path?: string
}

type Readiness =
  | { readonly ok: true; readonly programs: Programs; readonly confinement: Confinement }
  | { readonly ok: false; readonly reason: string }

/** The sandbox with the way to start programs that stay. */
export type ProgramSandbox = Sandbox & ProgramLauncher

/** Makes the sandbox and tries it once; never rejects: a machine that cannot do it gives `unavailable`. */
export async function createSandbox(config: SandboxConfig, deps: SandboxDeps): Promise<ProgramSandbox> {
  const broker = createBroker(deps.logger)
  if (config.kind === 'none') return createUnconfined(broker)
  const ready = await prepare(config, deps.path ?? DEFAULT_PATH)
  if (!ready.ok) return createUnavailable(ready.reason)
  const run = (command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> =>
    runConfined(command, signal, broker, ready.programs, ready.confinement)
  const problem = await attempt(run)
  if (problem) {
    await broker.close()
    return createUnavailable(`${problem} ${REMEDY}`)
  }
  const status: SandboxStatus = { kind: 'bubblewrap', reason: '', profile: profileOf(ready.confinement) }
  const launcher = createConfinedLauncher(ready.programs, ready.confinement)
  return {
    status: () => status,
    run,
    runTrusted: trusted(broker),
    spawn: launcher.spawn,
    close: () => broker.close(),
  }
}

const INSTALL =
  'Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora, RHEL), apk add bubblewrap (Alpine).'
const REMEDY =
  'Usually user namespaces are off. Allow them: sysctl -w kernel.unprivileged_userns_clone=1 (Debian), ' +
  'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 24.04), or start the container with ' +
  '--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined.'

async function prepare(config: SandboxConfig, path: string): Promise<Readiness> {
  const bwrap = await findProgram('bwrap', path)
  if (!bwrap) return { ok: false, reason: `bubblewrap (bwrap) is not installed. ${INSTALL}` }
  const programs: Programs = {
    bwrap,
    setpriv: await findProgram('setpriv', path),
    unshare: await findProgram('unshare', path),
    mount: await findProgram('mount', path),
  }
  const root = process.getuid?.() === 0
  const account = root ? await findAccount(config.user) : undefined
  if (root && !account) {
    return {
      ok: false,
      reason: `sandbox.user "${config.user}" does not exist. Create it: useradd --system ${config.user}`,
    }
  }
  if (account?.uid === 0) {
    return {
      ok: false,
      reason: 'sandbox.user must not be root. Set sandbox.user to nobody or a user of its own.',
    }
  }
  if (root && !programs.setpriv) {
    return { ok: false, reason: 'setpriv is not installed. Install it: apt-get install util-linux' }
  }
  return { ok: true, programs, confinement: await confine(config, account) }
}

async function confine(config: SandboxConfig, account: Account | undefined): Promise<Confinement> {
  const target = machine(process.arch)
  return {
    ...config,
    account,
    identity: account ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    processors: availableParallelism(),
    filter: target && seccompProgram(target, { unixSockets: config.network === 'none' }),
    // Read now: the sandbox has no /etc of the host to look into.
    resolver: config.network === 'host' ? await readFile('/etc/resolv.conf', 'utf8').catch(() => '') : '',
  }
}

function profileOf(confinement: Confinement): string {
  const { network, memoryMb, pids, fileMb, account, filter } = confinement
  const user = account ? `${account.name}(${account.uid})` : `service(${process.getuid?.() ?? '?'})`
  const seccomp = filter ? 'seccomp' : 'no-seccomp'
  return `bubblewrap network=${network} user=${user} memory=${memoryMb}MB pids=${pids} file=${fileMb}MB ${seccomp}`
}

/** Runs `true` once; the launcher's complaint when that fails. */
async function attempt(
  run: (command: SandboxCommand, signal: AbortSignal) => Promise<SandboxResult>,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'yizhan-sandbox-'))
  try {
    const command = {
      ...{ command: 'true', cwd: folder, workspace: folder, env: {}, timeoutMs: 10_000, outputBytes: 4_096 },
      logPath: '/dev/null',
      statusPath: `${folder}.json`,
    }
    const result = await run(command, AbortSignal.timeout(15_000))
    return result.exitCode === 0 ? undefined : `a first command failed: ${result.output.slice(0, 300)}`
  } catch (error) {
    return error instanceof Error ? `${error.message}.` : String(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(`${folder}.json`, { force: true })
  }
}

async function runConfined(
  command: SandboxCommand,
  signal: AbortSignal,
  broker: Broker,
  programs: Programs,
  confinement: Confinement,
): Promise<SandboxResult> {
  const { account } = confinement
  const staged = account !== undefined && !canReach(command.workspace, account)
  const launch = bubblewrapLaunch(command, programs, confinement, staged)
  return finish(
    await broker.run(
      {
        ...shared(command),
        argv: [...launch.argv],
        cwd: '/',
        env: {},
        inputs: launch.inputs.map((content) => content.toString('base64')),
        namespaced: true,
        ...(account ? { claim: { path: command.workspace, uid: account.uid, gid: account.gid } } : {}),
        group: { memoryBytes: confinement.memoryMb * 1024 * 1024, pids: confinement.pids },
      },
      signal,
    ),
  )
}

function shared(command: SandboxCommand): Pick<Job, 'timeoutMs' | 'logPath' | 'statusPath' | 'outputBytes'> {
  const { timeoutMs, logPath, statusPath, outputBytes } = command
  return { timeoutMs, logPath, statusPath, outputBytes }
}

function trusted(broker: Broker): NonNullable<Sandbox['runTrusted']> {
  return (program, signal) => broker.runTrusted({ ...program, argv: [...program.argv] }, signal)
}

function finish(result: JobResult): SandboxResult {
  const { exitCode, signal, limit, ...rest } = result
  return { ...rest, exitCode, signal, ...(limit === undefined ? {} : { limit }) }
}

function createUnavailable(reason: string): ProgramSandbox {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new AppError('sandbox.unavailable', `no sandbox on this machine: ${reason}`, {
        hint: reason,
        params: { reason },
      }),
    )
  return {
    status: () => ({ kind: 'unavailable', reason, profile: 'unavailable' }),
    run: refuse,
    spawn: refuse,
    close: () => Promise.resolve(),
  }
}

/** Chosen by name: the service's own rights, a clean environment, and no walls. */
function createUnconfined(broker: Broker): ProgramSandbox {
  return {
    spawn: createOpenLauncher().spawn,
    runTrusted: trusted(broker),
    status: () => ({
      kind: 'none',
      reason: '',
      profile: 'none: the rights of the service, host network, no limits',
    }),
    run: async (command, signal) =>
      finish(
        await broker.run(
          {
            ...shared(command),
            argv: ['/bin/bash', '-c', command.command],
            cwd: command.cwd,
            env: { ...baseEnvironment(command.workspace), ...command.env },
            inputs: [],
            namespaced: false,
          },
          signal,
        ),
      ),
    close: () => broker.close(),
  }
}
