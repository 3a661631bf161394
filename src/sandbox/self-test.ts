/**
 * Tries, from inside the sandbox, everything that it must refuse (S17). Used by readiness and `doctor`, since a
 * sandbox that starts need not confine. The targets are created here: a second folder stands for another chat's
 * workspace, an open port for the service's own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '../protocol/sandbox.ts'
import { baseEnvironment } from './bubblewrap.ts'
import { shellQuote } from './shell-quote.ts'

export interface SelfTestItem {
  /** What was tried, e.g. `read /etc/shadow`. */
  readonly attempt: string
  /** `untried`: a program that the attempt needs is missing here. */
  readonly outcome: 'refused' | 'succeeded' | 'untried'
  /** False when the sandbox let it happen, or when there is no sandbox. */
  readonly ok: boolean
  readonly detail: string
}

export interface SelfTestOptions {
  /** Files of the service that must be out of reach: configuration, database, logs, other workspaces. */
  readonly secretPaths?: readonly string[]
}

/** Succeeds with exit code 0 only when the sandbox failed. */
interface Attempt {
  readonly name: string
  readonly command: string
}

const reads = (path: string): Attempt => ({
  name: `read ${path}`,
  command: `head -c 1 ${shellQuote(path)} | grep -q .`,
})

/** Raw calls by number on x64 and arm64, through Perl, which every Debian has. Refused means EPERM or EAFNOSUPPORT. */
const CALLS: readonly (readonly [name: string, x64: string, arm64: string])[] = [
  ['mount', '165, 0, 0, 0, 0, 0', '40, 0, 0, 0, 0, 0'],
  ['ptrace', '101, 0, 0, 0, 0', '117, 0, 0, 0, 0'],
  ['keyctl', '250, 0, -3, 1', '219, 0, -3, 1'],
  ['bpf', '321, 0, 0, 0', '280, 0, 0, 0'],
  ['io_uring_setup', '425, 1, 0', '425, 1, 0'],
  ['unshare', '272, 0x10000000', '97, 0x10000000'],
  ['perf_event_open', '298, 0, 0, -1, -1, 0', '241, 0, 0, -1, -1, 0'],
  ['kexec_load', '246, 0, 0, 0, 0', '104, 0, 0, 0, 0'],
  ['socket AF_VSOCK', '41, 40, 1, 0', '198, 40, 1, 0'],
  ['socket AF_NETLINK (audit)', '41, 16, 3, 9', '198, 16, 3, 9'],
  ['socket AF_PACKET', '41, 17, 3, 0', '198, 17, 3, 0'],
]

/** What every command is given, and what bash adds by itself. */
const FIXED = [...Object.keys(baseEnvironment('/')), 'PWD', 'OLDPWD', 'SHLVL', '_']

function attempts(port: number, secretPaths: readonly string[], network: boolean): Attempt[] {
  const column = process.arch === 'arm64' ? 2 : 1
  const raw = CALLS.map((row) => ({
    name: row[0],
    command: `perl -e '$! = 0; my $r = syscall(${row[column]}); exit(($! == 1 || $! == 97) ? 1 : 0)'`,
  }))
  return [
    ...[
      '/etc/shadow',
      '/root/.ssh/id_rsa',
      '/proc/1/root/etc/shadow',
      '/run/docker.sock',
      '/var/run/docker.sock',
    ].map(reads),
    ...secretPaths.map(reads),
    { name: 'list /root', command: 'ls -A /root | grep -q .' },
    { name: 'list /home', command: 'ls -A /home | grep -q .' },
    { name: 'see processes of the host', command: 'test "$(ls -d /proc/[0-9]* | wc -l)" -gt 12' },
    {
      name: 'read an environment with more than the fixed variables',
      command: `cat /proc/*/environ | tr '\\0' '\\n' | cut -d= -f1 | grep -vxE '${FIXED.join('|')}' | grep -q .`,
    },
    { name: 'write /proc/sys', command: 'echo core > /proc/sys/kernel/core_pattern' },
    { name: 'write /usr', command: 'touch /usr/yizhan-self-test' },
    { name: 'write /etc', command: 'touch /etc/yizhan-self-test' },
    {
      name: 'hold capabilities',
      command: `grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status | grep -qv '0000000000000000$'`,
    },
    { name: 'run without a seccomp filter', command: `! grep -q '^Seccomp:.*2$' /proc/self/status` },
    { name: 'gain privileges', command: `! grep -q '^NoNewPrivs:.*1$' /proc/self/status` },
    { name: 'be root', command: 'test "$(id -u)" = 0' },
    { name: 'make a user namespace', command: 'unshare --user true' },
    { name: 'own a terminal', command: ': < /dev/tty' },
    ...(network
      ? []
      : [
          { name: 'reach a loopback port of the service', command: `: < /dev/tcp/127.0.0.1/${port}` },
          {
            name: 'reach any other interface',
            command: `tail -n +3 /proc/net/dev | grep -vE '^ *lo:' | grep -q .`,
          },
          {
            // Asked of the routing table: a broken sandbox must not be the one that calls a cloud's metadata.
            name: 'have a route to 169.254.169.254 or anywhere else',
            command: `{ tail -n +2 /proc/net/route; grep -v ' lo$' /proc/net/ipv6_route; } | grep -q .`,
          },
          { name: 'see abstract sockets of the host', command: `tail -n +2 /proc/net/unix | grep -q '@'` },
        ]),
    ...raw,
  ]
}

/** Runs every attempt in a workspace of its own and says which of them the sandbox refused. */
export async function selfTest(sandbox: Sandbox, options: SelfTestOptions = {}): Promise<SelfTestItem[]> {
  const status = sandbox.status()
  if (status.kind !== 'bubblewrap') {
    const detail = status.reason || 'sandbox.kind is none: there is no sandbox'
    return [{ attempt: 'run anything without a sandbox', outcome: 'succeeded', ok: false, detail }]
  }
  const folder = await mkdtemp(join(tmpdir(), 'yizhan-self-test-'))
  const neighbour = await mkdtemp(join(tmpdir(), 'yizhan-self-test-'))
  const strange = join(neighbour, 'of-another-chat.txt')
  await writeFile(strange, 'canary')
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const secrets = [strange, ...(options.secretPaths ?? [])]
    const list = attempts(port, secrets, status.profile.includes('network=host'))
    return await tryAll(sandbox, folder, list)
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
    await rm(neighbour, { recursive: true, force: true })
    await rm(`${folder}.json`, { force: true })
  }
}

/** Names of the attempts that the sandbox failed to refuse; empty when it holds. */
export async function sandboxBreaches(
  sandbox: Sandbox,
  secretPaths: readonly string[],
): Promise<readonly string[]> {
  const items = await selfTest(sandbox, { secretPaths })
  return items.filter((item) => !item.ok).map((item) => item.attempt)
}

/** One command for all, each attempt in a shell of its own, so that the test takes a moment only. */
async function tryAll(sandbox: Sandbox, folder: string, list: readonly Attempt[]): Promise<SelfTestItem[]> {
  const script = list
    .map(
      ({ command }, index) =>
        `timeout 5 bash -c ${shellQuote(command)} </dev/null >/dev/null 2>&1; echo "#${index} $?"`,
    )
    .join('\n')
  const result = await sandbox.run(
    {
      command: script,
      ...{ cwd: folder, workspace: folder, env: {}, timeoutMs: 60_000, outputBytes: 16_384 },
      logPath: '/dev/null',
      statusPath: `${folder}.json`,
    },
    AbortSignal.timeout(70_000),
  )
  return list.map(({ name }, index) => {
    const code = new RegExp(`^#${index} (\\d+)$`, 'm').exec(result.output)?.[1]
    return judge(name, code === undefined ? undefined : Number(code))
  })
}

/** 0: it worked; 126 and 127: the shell found no program to try it with. */
function judge(attempt: string, code: number | undefined): SelfTestItem {
  if (code === 0) return { attempt, outcome: 'succeeded', ok: false, detail: 'it succeeded' }
  if (code === undefined)
    return { attempt, outcome: 'untried', ok: false, detail: 'the sandbox ended before it' }
  if (code === 126 || code === 127)
    return { attempt, outcome: 'untried', ok: true, detail: 'a program is missing here' }
  return { attempt, outcome: 'refused', ok: true, detail: `exit ${code}` }
}
