/**
 * The command line of one program that stays, such as a tool server. Pure: paths in, arguments out.
 * The same walls as a command has; beside its own folder it sees only what its entry names.
 */
import { type Confinement, type Launch, namespaces, type Programs, rootFolder } from './bubblewrap.ts'
import { createInputs, FIRST_INPUT } from './inputs.ts'

/** A program that talks over its standard input and output until one side ends. */
export interface Program {
  /** Absolute program and arguments; nothing in it is read by a shell. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly network: 'none' | 'host'
  /** Real path of its own folder: always writable. */
  readonly home: string
  /** Real paths outside /usr that it may read. */
  readonly readable: readonly string[]
  /** Real paths that it may also change. */
  readonly writable: readonly string[]
  /** Real paths inside the ones above that it must not see; `folder` says how to cover them. */
  readonly hidden: readonly { readonly path: string; readonly folder: boolean }[]
}

/** Folder in which a private mount namespace puts paths that the sandbox's user may not walk to. */
const STAGE = '/mnt'

/** Mounts each path before `--` under the stage, then becomes the rest. */
const STAGING =
  `m=$0; "$m" -t tmpfs -o mode=755 stage ${STAGE} || exit 125; i=0; ` +
  `while [ "$1" != -- ]; do ` +
  `if [ -d "$1" ]; then mkdir "${STAGE}/$i"; else : >"${STAGE}/$i"; fi; ` +
  `"$m" --bind "$1" "${STAGE}/$i" || exit 125; i=$((i+1)); shift; done; shift; exec "$@"`

/** Builds the launch; `staged` are those paths that root must bind first, out of everybody's sight. */
export function programLaunch(
  program: Program,
  programs: Programs,
  confinement: Confinement,
  staged: readonly string[],
): Launch {
  const inputs = createInputs()
  const source = (path: string): string => (staged.includes(path) ? `${STAGE}/${staged.indexOf(path)}` : path)
  const options = [
    ...namespaces(confinement),
    ...rootFolder(confinement, inputs.add),
    ...program.readable.flatMap((path) => ['--ro-bind', source(path), path]),
    ...program.writable.flatMap((path) => ['--bind', source(path), path]),
    ...program.hidden.flatMap(({ path, folder }) =>
      folder ? ['--tmpfs', path] : ['--ro-bind-data', inputs.add(''), path],
    ),
    ...['--bind', source(program.home), program.home],
    ...['--remount-ro', '/', '--chdir', program.cwd],
    ...Object.entries(program.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(confinement.filter ? ['--seccomp', inputs.add(confinement.filter)] : []),
  ]
  inputs.setOptions(options)
  const bwrap = [programs.bwrap, '--args', String(FIRST_INPUT), '--', ...limits(confinement), ...program.argv]
  return { argv: withoutRoot(bwrap, programs, confinement, staged), inputs: inputs.contents }
}

/** No limit of processor time: the program may live for weeks. */
function limits(confinement: Confinement): string[] {
  return [
    '/usr/bin/prlimit',
    `--nproc=${confinement.pids}`,
    `--fsize=${confinement.fileMb * 1024 * 1024}`,
    `--data=${confinement.memoryMb * 1024 * 1024}`,
    '--nofile=4096',
    '--core=0',
    '--',
  ]
}

function withoutRoot(
  bwrap: readonly string[],
  programs: Programs,
  { account }: Confinement,
  staged: readonly string[],
): string[] {
  if (!account || !programs.setpriv) return [...bwrap]
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  const dropped = [programs.setpriv, ...ids, '--', ...bwrap]
  if (staged.length === 0 || !programs.unshare || !programs.mount) return dropped
  const stage = ['/bin/sh', '-c', STAGING, programs.mount, ...staged, '--']
  return [programs.unshare, '--mount', '--propagation', 'private', ...stage, ...dropped]
}
