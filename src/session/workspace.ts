/** Folders of a session: the workspace that commands and tools may touch, and a private one that they may not. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import { workspaceOwner } from '../protocol/workbench.ts'

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
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32)
    const path = join(dataDir, kind, name)
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
