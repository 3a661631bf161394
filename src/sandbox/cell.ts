/**
 * Cells: sandboxes for programs that outlive a single command, such as a browser or a desktop. Same restricted root
 * as for commands (only /usr, no capabilities, own PID namespace), run as the sandbox's user, with a home folder on
 * disk. Knows bubblewrap and file ownership; refuses to know what the program is for.
 */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import { type Account, findAccount } from './account.ts'
import { createClaimer } from './ownership.ts'
import { findProgram } from './programs.ts'

export interface CellSpec {
  /** Folder outside every workspace; holds the cell's home and its few lines of /etc. */
  readonly folder: string
  /** Shown at its own path, writable; for programs that open people's files. */
  readonly workspace?: string
  readonly network: 'none' | 'host'
  /** True for a program whose own sandbox needs user namespaces (Chromium); forbidden otherwise (M5). */
  readonly nests: boolean
  readonly env: Readonly<Record<string, string>>
  /** The program by absolute path, and its arguments. */
  readonly argv: readonly string[]
}

/** What to start, with an empty environment, from any working directory. */
export interface CellLaunch {
  readonly file: string
  readonly args: readonly string[]
}

/** What a machine lacks. `message` is for the model and the log; people read `lack.<key>` of the locale files. */
export interface Lack {
  readonly key: string
  readonly params: Readonly<Record<string, string>>
  readonly message: string
}

/** Sandboxes that stay until their program ends. */
export interface Cells {
  /** Why no cell can be started here, with the remedy; undefined when one can. */
  problem(): Promise<Lack | undefined>
  /** Prepares the folder and builds the launch; rejects with `sandbox.unavailable`. */
  launch(spec: CellSpec): Promise<CellLaunch>
  /** Gives the service's files in a workspace to the cell's user, as every command does before it runs. */
  claim(workspace: string): Promise<void>
}

/** Home of every cell, as its programs see it. */
export const CELL_HOME = '/home/agent'
const STAGE = '/mnt'
/** As root: bind folder and workspace where the unprivileged user can reach them, in a private namespace. */
const STAGING = `"$0" --bind "$1" ${STAGE} && { [ -z "$2" ] || "$0" --bind "$2" ${STAGE}/work; } && shift 2 && exec "$@"`
const NEEDED = ['bwrap', 'prlimit'] as const
const NEEDED_AS_ROOT = ['setpriv', 'unshare', 'mount'] as const

type Program = (typeof NEEDED)[number] | (typeof NEEDED_AS_ROOT)[number]
type Programs = Partial<Readonly<Record<Program, string>>>

/** @param user local account that cells run as when the service is root; never root. */
export function createCells(user: string, clock: Clock, isRoot: boolean = process.getuid?.() === 0): Cells {
  const claimer = createClaimer(clock)
  const find = async (): Promise<{ programs: Programs; account: Account | undefined; problem?: Lack }> => {
    const account = isRoot ? await findAccount(user) : undefined
    const names: readonly Program[] = isRoot ? [...NEEDED, ...NEEDED_AS_ROOT] : NEEDED
    const found = await Promise.all(names.map(async (name) => [name, await findProgram(name)] as const))
    const missing = found.filter(([, path]) => path === undefined).map(([name]) => name)
    const programs: Programs = Object.fromEntries(found.filter(([, path]) => path !== undefined))
    if (missing.length > 0) {
      const what = missing.join(', ')
      const message = `${what} missing. Install: apt-get install bubblewrap util-linux`
      const problem = { key: 'cell', params: { what }, message }
      return { programs, account, problem }
    }
    if (isRoot && (account === undefined || account.uid === 0)) {
      const message = `sandbox.user "${user}" must be an existing account, not root.`
      return { programs, account, problem: { key: 'user', params: { user }, message } }
    }
    return { programs, account }
  }
  return {
    problem: async () => (await find()).problem,
    launch: async (spec) => {
      const { programs, account, problem } = await find()
      if (problem !== undefined) {
        const { message } = problem
        throw new AppError('sandbox.unavailable', message, { hint: message, params: { reason: message } })
      }
      prepareFolder(spec.folder, account)
      if (account && spec.workspace !== undefined) claimer.claim(spec.workspace, account.uid, account.gid)
      const [file = '', ...args] = cellArgv(spec, programs, account)
      return { file, args }
    },
    claim: async (workspace) => {
      const { account } = await find()
      if (account) claimer.claim(workspace, account.uid, account.gid)
    },
  }
}

function prepareFolder(folder: string, account: Account | undefined): void {
  const { uid, gid } = account ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  for (const name of ['', 'etc', 'home', 'work']) {
    mkdirSync(join(folder, name), { recursive: true })
    // The folder above is closed to everybody; once staged, the cell's user must get in.
    chmodSync(join(folder, name), name === 'home' ? 0o700 : 0o755)
  }
  chownSync(join(folder, 'home'), uid, gid)
  const lines = {
    passwd: `agent:x:${uid}:${gid}:agent:${CELL_HOME}:/usr/sbin/nologin\n`,
    group: `agent:x:${gid}:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    'machine-id': '0123456789abcdef0123456789abcdef\n',
  }
  for (const [name, text] of Object.entries(lines)) writeFileSync(join(folder, 'etc', name), text)
}

/** Pure: the whole command line, outermost program first. */
function cellArgv(spec: CellSpec, programs: Programs, account: Account | undefined): string[] {
  const root = account === undefined ? spec.folder : STAGE
  const work = account === undefined ? spec.workspace : `${STAGE}/work`
  const confined = [
    programs.bwrap ?? '',
    ...['--unshare-all', ...(spec.network === 'host' ? ['--share-net'] : []), '--die-with-parent'],
    ...(spec.nests ? [] : ['--unshare-user', '--disable-userns']),
    ...['--new-session', '--cap-drop', 'ALL', '--clearenv', '--hostname', 'cell'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...READABLE.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['passwd', 'group', 'hosts', 'machine-id'].flatMap((name) => [
      '--ro-bind',
      `${root}/etc/${name}`,
      `/etc/${name}`,
    ]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/dev/shm', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...['--bind', `${root}/home`, CELL_HOME],
    ...(spec.workspace === undefined || work === undefined ? [] : ['--bind', work, spec.workspace]),
    ...['--remount-ro', '/', '--chdir', CELL_HOME],
    ...Object.entries({ ...ENVIRONMENT, ...spec.env }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--', programs.prlimit ?? '', '--core=0', '--nofile=8192', `--fsize=${FILE_BYTES}`, '--'],
    ...spec.argv,
  ]
  if (account === undefined) return confined
  return [
    ...[programs.unshare ?? '', '--mount', '--propagation', 'private'],
    ...['/bin/sh', '-c', STAGING, programs.mount ?? '', spec.folder, spec.workspace ?? ''],
    ...[programs.setpriv ?? '', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--'],
    ...confined,
  ]
}

// Debian's start script of Chromium reads its folder and stops without it.
const READABLE = [
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/ssl/certs',
  '/etc/ld.so.cache',
  '/etc/xdg',
  '/etc/chromium.d',
]
const FILE_BYTES = 1024 * 1024 * 1024
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: CELL_HOME, LANG: 'C.UTF-8', TZ: 'Asia/Shanghai' }
