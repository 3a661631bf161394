/**
 * Starts programs that stay inside the sandbox. They are children of the service itself, because
 * their pipes are talked to; the kernel ends them when the service goes away.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chown, readFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { AppError } from '../protocol/errors.ts'
import type { Confinement, Programs } from './bubblewrap.ts'
import { offerInputs } from './inputs.ts'
import { signal } from './process-tree.ts'
import { type Program, programLaunch } from './program-launch.ts'
import { canReach } from './programs.ts'
import { seccompProgram } from './seccomp.ts'
import { machine } from './syscalls.ts'

/** Its pipes are the caller's to read: one that is left full holds the program up. */
export interface RunningProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves once with how it ended; never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Ends it with everything it started, at once. */
  kill(): void
}

/** Starts programs that stay; commands that end are run by the sandbox itself. */
export interface ProgramLauncher {
  /** Rejects with `sandbox.unavailable` when nothing was started. */
  spawn(program: Program): Promise<RunningProgram>
}

/** Starts programs in bubblewrap. */
export function createConfinedLauncher(programs: Programs, confinement: Confinement): ProgramLauncher {
  return {
    spawn: async (program) => {
      const { account } = confinement
      if (account) await chown(program.home, account.uid, account.gid)
      const paths = [program.home, ...program.readable, ...program.writable]
      const staged = account === undefined ? [] : paths.filter((path) => !canReach(path, account))
      const launch = programLaunch(program, programs, await withNetwork(confinement, program.network), staged)
      return start(launch.argv, '/', {}, launch.inputs)
    },
  }
}

/** Chosen by name: the service's own rights and no walls. */
export function createOpenLauncher(): ProgramLauncher {
  return { spawn: async (program) => start(program.argv, program.cwd, program.env, []) }
}

async function withNetwork(confinement: Confinement, network: 'none' | 'host'): Promise<Confinement> {
  if (network === confinement.network) return confinement
  const target = machine(process.arch)
  const resolver = network === 'host' ? await readFile('/etc/resolv.conf', 'utf8').catch(() => '') : ''
  const filter = target && seccompProgram(target, { unixSockets: network === 'none' })
  return { ...confinement, network, resolver, filter }
}

async function start(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  inputs: readonly Buffer[],
): Promise<RunningProgram> {
  const [file = '', ...args] = argv
  const extra = inputs.length > 0 ? ['ignore' as const, ...inputs.map(() => 'pipe' as const)] : []
  const child = spawn(file, args, {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...extra],
  })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, by) => resolve({ code, signal: by }))
    child.once('error', () => resolve({ code: null, signal: null }))
  })
  await started(child)
  offerInputs(child, inputs)
  const [stdin, stdout, stderr] = [child.stdin, child.stdout, child.stderr]
  if (!stdin || !stdout || !stderr) throw new Error('a program was started without pipes')
  // It may die before it has read everything; its end tells, not this pipe.
  stdin.on('error', () => {})
  return { stdin, stdout, stderr, ended, kill: () => end(child) }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) =>
      reject(
        new AppError('sandbox.unavailable', `the program could not be started: ${cause.message}`, {
          cause,
          hint: 'Check that the program exists and may be run.',
          params: { reason: cause.message },
        }),
      ),
    )
  })
}

/** Killing the launcher ends the namespace's first process, and with it all others. */
function end(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  signal(-child.pid, 'SIGKILL')
}
