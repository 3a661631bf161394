/** Folders of a session: the workspace that commands and tools may touch, and a private one that they may not. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import { workspaceOwner } from '../protocol/workbench.ts'

/** Both are there; what was missing was made with mode 0700. */
export interface SessionFolders {
  /** Real path of the workspace. */
  readonly workspace: string
  /** Real path of the folder for full outputs and snapshots; never visible to commands. */
  readonly privateDir: string
}

/**
 * A task works in the workspace of its chat. Creates (0700) and returns the folders. Session ids hold
 * any character, so folders are named by digest. Throws `session.no_workspace`.
 */
export function prepareFolders(dataDir: string, sessionId: string): SessionFolders {
  const make = (kind: string, id: string): string => {
    const path = folderOf(dataDir, kind, id)
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      return realpathSync(path)
    } catch (cause) {
      throw new AppError('session.no_workspace', `${path} cannot be used as a folder`, {
        cause,
        hint: 'Check that dataDir is writable, has room, and that nothing else stands at this path.',
      })
    }
  }
  return { workspace: make('workspaces', workspaceOwner(sessionId)), privateDir: make('private', sessionId) }
}

/**
 * Removes the folders that are the session's own, with all that is in them: the workspace in which a task
 * works is its chat's. False when there was none.
 */
export async function wipeFolders(dataDir: string, sessionId: string): Promise<boolean> {
  const folders = [
    ...(workspaceOwner(sessionId) === sessionId ? [folderOf(dataDir, 'workspaces', sessionId)] : []),
    folderOf(dataDir, 'private', sessionId),
  ].filter((path) => existsSync(path))
  for (const path of folders) await rm(path, { recursive: true, force: true })
  return folders.length > 0
}

function folderOf(dataDir: string, kind: string, id: string): string {
  return join(dataDir, kind, createHash('sha256').update(id).digest('hex').slice(0, 32))
}
