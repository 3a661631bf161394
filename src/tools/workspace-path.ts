/**
 * Confinement: which file a path of the model really is, decided on the open descriptor.
 *
 * A name is first checked as text, then resolved, then opened without following, and at last asked from
 * the kernel (`/proc/self/fd/N`): whoever swaps a folder for a link in between gains nothing (F1–F4).
 */
import { constants, realpathSync } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import { namedOutput } from './model-copy.ts'

/** Where a tool may look: both are real paths. */
export interface Territory {
  readonly workspace: string
  readonly privateDir: string
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants

const OUTSIDE = 'Paths are relative to the workspace and stay inside it, for example "src/main.ts".'

export function refused(message: string, hint: string): AppError {
  return new AppError('tool.refused', message, { hint })
}

/** True when `path` is `root` or lies below it, compared by components. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** The absolute path a name means, judged as text only. Rejects with `tool.refused`. */
export function lexicalPath(workspace: string, name: string): string {
  if (name === '' || name.includes('\0')) throw refused('The path is empty or holds a NUL.', OUTSIDE)
  if (/^~|^[A-Za-z]:[\\/]|^\\\\/.test(name))
    throw refused(`"${name}" is not a path in the workspace.`, OUTSIDE)
  const path = resolve(workspace, name)
  if (!isInside(workspace, path)) throw refused(`"${name}" is outside the workspace.`, OUTSIDE)
  return path
}

/** Real path of something that exists inside the workspace. Rejects with `tool.refused` or `tool.not_found`. */
export async function existingPath(workspace: string, name: string): Promise<string> {
  const path = realPath(lexicalPath(workspace, name), name)
  if (!isInside(workspace, path)) throw refused(`"${name}" leads outside the workspace.`, OUTSIDE)
  return path
}

/** The same for a folder; `hint` says what to do instead with a file. */
export async function existingFolder(workspace: string, name: string, hint: string): Promise<string> {
  const path = await existingPath(workspace, name)
  if (!(await stat(path)).isDirectory()) throw refused(`"${name}" is a file.`, hint)
  return path
}

/** Synchronous on purpose: passing the lookup to the thread pool takes far longer than the lookup itself. */
function realPath(path: string, name: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    throw fileError(error, name)
  }
}

export interface OpenFile {
  readonly handle: FileHandle
  /** Real path of the open file. */
  readonly path: string
  readonly size: number
  readonly mode: number
  readonly links: number
}

/** Opens a regular file for reading: in the workspace, or a kept output by its `output:` name. */
export async function openForReading(territory: Territory, name: string): Promise<OpenFile> {
  const output = namedOutput(territory.privateDir, name)
  const root = output ? dirname(output) : territory.workspace
  const path = output ?? (await existingPath(territory.workspace, name))
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error) => {
    throw fileError(error, name)
  })
  try {
    const [found, real, home] = await Promise.all([handle.stat(), realPathOf(handle), stat(root)])
    if (!isInside(await realpath(root), real))
      throw refused(`"${name}" leads outside the workspace.`, OUTSIDE)
    if (found.isDirectory()) throw refused(`"${name}" is a folder.`, 'Use glob to list its files.')
    if (!found.isFile())
      throw refused(`"${name}" is a device, pipe or socket.`, 'Only regular files can be read.')
    if (found.dev !== home.dev) throw refused(`"${name}" lies on another file system.`, OUTSIDE)
    return { handle, path: real, size: found.size, mode: found.mode & 0o7777, links: found.nlink }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A folder held open, so that names in it cannot be redirected while it is used. */
export interface OpenFolder {
  readonly handle: FileHandle
  /** Path that goes through the descriptor: `/proc/self/fd/N/<name>`. */
  at(name: string): string
  readonly path: string
}

/** Opens an existing folder inside the workspace. */
export async function openFolder(workspace: string, path: string, name = '.'): Promise<OpenFolder> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((error) => {
    throw fileError(error, name)
  })
  try {
    const real = await realPathOf(handle)
    if (!isInside(workspace, real)) throw refused(`"${name}" leads outside the workspace.`, OUTSIDE)
    return { handle, path: real, at: (name) => join(`/proc/self/fd/${handle.fd}`, name) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const realPathOf = (handle: FileHandle): Promise<string> => readlink(`/proc/self/fd/${handle.fd}`)

const REASONS: Readonly<Record<string, readonly [type: string, what: string, hint: string]>> = {
  ENOENT: ['not_found', 'does not exist', 'Use glob to see which files there are.'],
  ENOTDIR: ['not_found', 'has a file where a folder should be', 'Use glob to see which files there are.'],
  ELOOP: ['refused', 'is a symbolic link', 'Name the file itself.'],
  ENXIO: ['refused', 'is a pipe or socket', 'Only regular files can be read.'],
  EACCES: ['refused', 'may not be read', 'Change its mode with the shell, or choose another file.'],
  ENAMETOOLONG: ['invalid_argument', 'is too long a name', 'A name has at most 255 bytes.'],
  ENOSPC: ['limit', 'could not be written: the disk is full', 'Ask the operator to free space.'],
  EDQUOT: ['limit', 'could not be written: the quota is used up', 'Delete files that are not needed.'],
  EROFS: ['refused', 'lies on a read-only file system', 'Write into the workspace.'],
  EISDIR: ['refused', 'is a folder', 'Name a file.'],
}

/** A system error as a tool error that names the path as the model wrote it, never a path of the host. */
export function fileError(error: unknown, name: string): AppError {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const [type, what, hint] = REASONS[code] ?? ['failed', `failed (${code})`, 'Try another path.']
  return new AppError(`tool.${type}`, `"${name}" ${what}.`, { hint, cause: error })
}
