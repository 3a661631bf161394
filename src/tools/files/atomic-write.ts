/**
 * Writes a file of the workspace whole or not at all: a new file beside the old one, synced, then moved
 * over it. Everything goes through the open folder, so no swapped link can lead the write elsewhere.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rename, stat, statfs, unlink } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { AppError } from '../../protocol/errors.ts'
import { fileError, isInside, lexicalPath, type OpenFolder, openFolder, refused } from '../workspace-path.ts'

/** What a workspace may hold in all. */
const QUOTA_BYTES = 1024 * 1024 * 1024
/** Entries counted for the quota; a larger workspace is judged by what was counted. */
const QUOTA_ENTRIES = 20_000
/** Smaller writes are not counted: a run has few steps. */
const QUOTA_FROM = 64 * 1024

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants

export interface Target {
  /** Real path of the file, which may not exist yet. */
  readonly path: string
  readonly mode: number
  readonly exists: boolean
}

/** Finds where a write to `name` would go. Rejects with `tool.refused` for anything but a single regular file. */
export async function writeTarget(workspace: string, name: string): Promise<Target> {
  const spelled = lexicalPath(workspace, name)
  if (spelled === workspace || /[\\/]$/.test(name)) throw refused(`"${name}" is a folder.`, 'Name a file.')
  const path = await realTarget(workspace, spelled, name)
  if (isOfGit(workspace, spelled) || isOfGit(workspace, path)) {
    throw refused(
      `"${name}" belongs to git itself: what stands there can make git run programs.`,
      'Change it with git commands, which somebody approves.',
    )
  }
  const found = await lstat(path).catch(() => undefined)
  if (!found) return { path, mode: 0o644, exists: false }
  if (found.isDirectory()) throw refused(`"${name}" is a folder.`, 'Name a file.')
  if (!found.isFile()) throw refused(`"${name}" is a link, device, pipe or socket.`, 'Choose another name.')
  if (found.nlink > 1) {
    throw refused(
      `"${name}" has ${found.nlink} names (hard links).`,
      'Write to a new file, or delete this name first.',
    )
  }
  return { path, mode: found.mode & 0o777, exists: true }
}

function isOfGit(workspace: string, path: string): boolean {
  return relative(workspace, path)
    .split(sep)
    .some((part) => part.toLowerCase() === '.git')
}

/** The real path: links of the file and of the existing folders above it are followed, never outside. */
async function realTarget(workspace: string, spelled: string, name: string): Promise<string> {
  const missing: string[] = []
  for (let path = spelled; ; path = dirname(path)) {
    const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw fileError(error, name)
      return undefined
    })
    if (real !== undefined) {
      if (!isInside(workspace, real))
        throw refused(`"${name}" leads outside the workspace.`, 'Write inside the workspace.')
      return join(real, ...missing)
    }
    if (await lstat(path).catch(() => undefined))
      throw refused(`"${name}" is a dangling link.`, 'Choose another name.')
    missing.unshift(basename(path))
  }
}

/** Writes the bytes. `mode` is the old file's; the new one belongs to the owner of the workspace. */
export async function writeAtomically(workspace: string, target: Target, bytes: Buffer): Promise<void> {
  const name = relative(workspace, target.path)
  const owner = await stat(workspace)
  await checkQuota(workspace, bytes.length)
  const folder = await openParents(workspace, dirname(target.path), owner)
  const fresh = folder.at(`.${randomUUID()}.new`)
  try {
    await writeFresh(fresh, bytes, target.mode, owner)
    await rename(fresh, folder.at(basename(target.path)))
    await folder.handle.sync()
  } catch (error) {
    await unlink(fresh).catch(() => {})
    throw fileError(error, name)
  } finally {
    await folder.handle.close()
  }
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

async function writeFresh(path: string, bytes: Buffer, mode: number, owner: Owner): Promise<void> {
  const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)
  try {
    await file.writeFile(bytes)
    if (process.getuid?.() === 0) await file.chown(owner.uid, owner.gid)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Opens the folder of a file, making what is missing, one component at a time through open descriptors. */
async function openParents(workspace: string, path: string, owner: Owner): Promise<OpenFolder> {
  let folder = await openFolder(workspace, workspace)
  const way = relative(workspace, path)
  for (const part of way === '' ? [] : way.split(sep)) {
    const parent = folder
    try {
      await makeFolder(parent, part, owner)
      folder = await openFolder(workspace, parent.at(part), way)
    } catch (error) {
      throw fileError(error, way)
    } finally {
      await parent.handle.close()
    }
  }
  return folder
}

async function makeFolder(parent: OpenFolder, name: string, owner: Owner): Promise<void> {
  try {
    await mkdir(parent.at(name), 0o755)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return
    throw error
  }
  if (process.getuid?.() !== 0) return
  const made = await openFolder(parent.path, parent.at(name), name)
  await made.handle.chown(owner.uid, owner.gid)
  await made.handle.close()
}

async function checkQuota(workspace: string, bytes: number): Promise<void> {
  if (bytes < QUOTA_FROM) return
  const { bavail, bsize } = await statfs(workspace)
  const used = await usedBytes(workspace)
  if (used + bytes <= QUOTA_BYTES && bytes < bavail * bsize) return
  throw new AppError(
    'tool.limit',
    `The workspace holds ${used >> 20} MB; at most ${QUOTA_BYTES >> 20} MB fit.`,
    {
      hint: 'Delete files that are not needed, then write again.',
    },
  )
}

async function usedBytes(workspace: string): Promise<number> {
  const queue = [workspace]
  let used = 0
  let seen = 0
  for (let folder = queue.pop(); folder !== undefined && seen < QUOTA_ENTRIES; folder = queue.pop()) {
    const parent = folder
    for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
      if (++seen > QUOTA_ENTRIES) break
      const path = join(parent, entry.name)
      if (entry.isDirectory()) queue.push(path)
      else used += (await lstat(path).catch(() => undefined))?.size ?? 0
    }
  }
  return used
}
