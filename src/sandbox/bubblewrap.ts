/**
 * The command line of one sandboxed command. Pure: numbers and paths in, arguments out.
 *
 * The root it builds holds /usr and a few lines of /etc read-only, an own /proc, /dev and /tmp, and the
 * workspace at its own path. Options travel on descriptor 4, so that no process list shows them.
 */
import type { SandboxCommand } from '../protocol/sandbox.ts'
import type { Account } from './account.ts'
import { createInputs, FIRST_INPUT } from './inputs.ts'

/** Absolute paths of the programs a launch needs. */
export interface Programs {
  readonly bwrap: string
  /** Needed to leave root. */
  readonly setpriv?: string | undefined
  /** Needed when a workspace lies under a folder that the sandbox's user may not enter. */
  readonly unshare?: string | undefined
  readonly mount?: string | undefined
}

export interface Confinement {
  readonly network: 'none' | 'host'
  readonly memoryMb: number
  readonly pids: number
  readonly fileMb: number
  /** The account to become; undefined when the service is not root and stays who it is. */
  readonly account: Account | undefined
  /** Who commands are in the end, for the sandbox's /etc/passwd. */
  readonly identity: { readonly uid: number; readonly gid: number }
  readonly processors: number
  /** Assembled filter, or undefined on a machine without a syscall table. */
  readonly filter: Buffer | undefined
  /** Name servers for `network: host`. */
  readonly resolver: string
}

export interface Launch {
  readonly argv: readonly string[]
  /** Contents for descriptors from {@link FIRST_INPUT} on, in this order. */
  readonly inputs: readonly Buffer[]
}

/** Always exists, is empty, and everybody may enter it: where a private mount namespace puts the workspace. */
const STAGE = '/mnt'
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin'

/**
 * Read by git before any file of a repository: whoever allows `git commit` has not read what an earlier command
 * left in `.git/hooks`, so it does not run (S18). Numbered pairs as in git-config(1), "GIT_CONFIG_COUNT".
 */
const GIT = {
  ...{ GIT_CONFIG_COUNT: '3', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/dev/null' },
  ...{ GIT_CONFIG_KEY_1: 'core.fsmonitor', GIT_CONFIG_VALUE_1: 'false' },
  // A folder that only looks like a repository, which any file tool can make, is none.
  ...{ GIT_CONFIG_KEY_2: 'safe.bareRepository', GIT_CONFIG_VALUE_2: 'explicit' },
}

/** The environment of every command, the same in all sandboxes (S6). */
export function baseEnvironment(home: string): Record<string, string> {
  return { PATH: SEARCH_PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', TZ: 'Asia/Shanghai', ...GIT }
}

/** Builds the launch of `command`. `staged`: bind the workspace as root first, out of everybody's sight. */
export function bubblewrapLaunch(
  command: SandboxCommand,
  programs: Programs,
  confinement: Confinement,
  staged: boolean,
): Launch {
  const inputs = createInputs()
  const options = [
    ...namespaces(confinement),
    ...rootFolder(confinement, inputs.add),
    '--bind',
    staged ? STAGE : command.workspace,
    command.workspace,
    '--remount-ro',
    '/',
    '--chdir',
    command.cwd,
    ...Object.entries({ ...baseEnvironment(command.workspace), ...command.env }).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
    ...(confinement.filter ? ['--seccomp', inputs.add(confinement.filter)] : []),
    '--json-status-fd',
    '3',
  ]
  inputs.setOptions(options)
  const inner = [...limits(command, confinement), '/bin/bash', '-c', command.command]
  const bwrap = [programs.bwrap, '--args', String(FIRST_INPUT), '--', ...inner]
  return {
    argv: withoutRoot(bwrap, command.workspace, programs, confinement, staged),
    inputs: inputs.contents,
  }
}

/** What a sandbox does not share with the machine. */
export function namespaces(confinement: Confinement): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    ...(confinement.network === 'host' ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--clearenv',
    '--hostname',
    'sandbox',
  ]
}

/** The read-only root with its own /proc, /dev and /tmp. `input` offers content on a descriptor and names it. */
export function rootFolder(confinement: Confinement, input: (content: string) => string): string[] {
  const bytes = String(confinement.fileMb * 1024 * 1024)
  const { uid, gid } = confinement.identity
  const user = `sandbox:x:${uid}:${gid}:sandbox:/:/bin/bash\n`
  const file = (path: string, content: string): string[] => ['--ro-bind-data', input(content), path]
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/ssl/certs', '/etc/pki/tls/certs'].flatMap((path) => [
      '--ro-bind-try',
      path,
      path,
    ]),
    ...file('/etc/passwd', `${user}root:x:0:0:root:/:/usr/sbin/nologin\n`),
    ...file('/etc/group', `sandbox:x:${gid}:\nroot:x:0:\n`),
    ...file('/etc/hosts', '127.0.0.1 localhost sandbox\n::1 localhost\n'),
    ...file('/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    ...(confinement.network === 'host' ? file('/etc/resolv.conf', confinement.resolver) : []),
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...['--dev', '/dev', '--size', bytes, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', bytes, '--tmpfs', '/tmp'],
  ]
}

/**
 * Limits are set inside the user namespace: there the kernel counts this command's processes alone,
 * outside it would count every process of the account (and none at all for root).
 */
function limits(command: SandboxCommand, confinement: Confinement): string[] {
  const seconds = Math.ceil(command.timeoutMs / 1000) * confinement.processors
  return [
    '/usr/bin/prlimit',
    `--nproc=${confinement.pids}`,
    `--fsize=${confinement.fileMb * 1024 * 1024}`,
    `--data=${confinement.memoryMb * 1024 * 1024}`,
    `--cpu=${seconds}`,
    '--nofile=4096',
    '--core=0',
    '--',
  ]
}

function withoutRoot(
  bwrap: readonly string[],
  workspace: string,
  programs: Programs,
  confinement: Confinement,
  staged: boolean,
): string[] {
  const { account } = confinement
  if (!account || !programs.setpriv) return [...bwrap]
  const dropped = [
    programs.setpriv,
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--',
    ...bwrap,
  ]
  if (!staged || !programs.unshare || !programs.mount) return dropped
  const script = `"$0" --bind "$1" ${STAGE} && shift && exec "$@"`
  return [
    ...[programs.unshare, '--mount', '--propagation', 'private'],
    ...['/bin/sh', '-c', script, programs.mount, workspace],
    ...dropped,
  ]
}
