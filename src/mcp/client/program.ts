/**
 * What a server program gets to see: its own folder, the package its script belongs to, and the
 * folders its entry names. Everything else, the service's own files first of all, is not there.
 */
import { mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { AppError } from '../../protocol/errors.ts'
import { baseEnvironment, findProgram, type Program } from '../../sandbox/index.ts'
import type { ProgramTarget } from './entry.ts'

export interface ProgramPlaces {
  /** Folder for the programs' own folders, one per server. */
  readonly homes: string
  /** Files and folders of the service that no server may see: data folder, configuration. */
  readonly secret: readonly string[]
  /** The service's own Node, used for `node` when the machine has none in its usual places. */
  readonly node: string
}

/** Files by which a folder is recognised as one package. */
const MARKS = ['package.json', 'pyproject.toml', 'pyvenv.cfg', 'setup.py', 'Cargo.toml', 'go.mod']
const LEVELS = 6

/** Resolves the program and its paths; rejects with `mcp.program_missing` or `mcp.path_refused`. */
export async function prepareProgram(
  folder: string,
  target: ProgramTarget,
  places: ProgramPlaces,
): Promise<Program> {
  const home = join(places.homes, folder)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const ownHome = await realpath(home)
  const file = await resolveProgram(target, places.node)
  const env = { ...baseEnvironment(ownHome), ...target.env }
  const secret = await realPaths(places.secret)
  const given = await givenPaths(
    [file, ...target.args, ...(target.cwd === undefined ? [] : [target.cwd])],
    ownHome,
  )
  for (const path of [...given.readable, ...given.writable]) refuseSecret(path, secret)
  const hidden = secret.filter((path) =>
    [...given.readable, ...given.writable].some((root) => isInside(path, root)),
  )
  return {
    argv: [file, ...target.args],
    cwd: target.cwd ?? ownHome,
    env,
    network: target.network,
    home: ownHome,
    ...given,
    hidden: await Promise.all(
      hidden.map(async (path) => ({ path, folder: (await stat(path)).isDirectory() })),
    ),
  }
}

async function resolveProgram({ command, env }: ProgramTarget, node: string): Promise<string> {
  if (isAbsolute(command)) return command
  const found = command.includes('/')
    ? undefined
    : ((env['PATH'] === undefined ? undefined : await findProgram(command, env['PATH'])) ??
      (command === 'node' ? node : await findProgram(command)))
  if (found !== undefined) return found
  throw new AppError('mcp.program_missing', `there is no program "${command}"`, {
    hint: 'Install it, or write its absolute path as the command of this server.',
    params: { command },
  })
}

/** Folders are the program's to change, files and what belongs to them its to read. */
async function givenPaths(
  words: readonly string[],
  home: string,
): Promise<Pick<Program, 'readable' | 'writable'>> {
  const readable = new Set<string>()
  const writable = new Set<string>()
  for (const [index, word] of words.entries()) {
    const found = isAbsolute(word) ? await stat(word).catch(() => undefined) : undefined
    if (!found) continue
    const real = await realpath(word)
    if (found.isDirectory()) (index === 0 ? readable : writable).add(real)
    else for (const path of [word, real]) readable.add(await packageOf(path))
  }
  const outside = (path: string): boolean => !isSystem(path) && !isInside(path, home)
  return { readable: [...readable].filter(outside), writable: [...writable].filter(outside) }
}

/** The outermost `node_modules` around a file, the folder of its package, or its own folder. */
async function packageOf(file: string): Promise<string> {
  const modules = file.indexOf('/node_modules/')
  if (modules >= 0) return realpath(file.slice(0, modules + '/node_modules'.length))
  let folder = dirname(file)
  for (let level = 0; level < LEVELS && folder !== dirname(folder); level++, folder = dirname(folder)) {
    const marked = await Promise.all(MARKS.map((mark) => stat(join(folder, mark)).catch(() => undefined)))
    if (marked.some(Boolean)) return realpath(folder)
  }
  return realpath(dirname(file))
}

function isSystem(path: string): boolean {
  return (
    ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/tmp', '/dev', '/proc', '/etc'].some(
      (root) => path === root,
    ) || isInside(path, '/usr')
  )
}

function refuseSecret(path: string, secret: readonly string[]): void {
  if (path !== '/' && !secret.some((one) => path === one || isInside(path, one))) return
  throw new AppError('mcp.path_refused', `the entry names ${path}, which holds the service's own files`, {
    hint: 'Give the server a folder of its own.',
    params: { path },
  })
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)))
  return found.filter((path) => path !== undefined)
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
