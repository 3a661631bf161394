/** Folders of a session: the workspace that commands and tools may touch, and a private one that they may not. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceOwner } from '../protocol/workbench.ts'

export interface SessionFolders {
  /** Real path of the workspace. */
  readonly workspace: string
  /** Real path of the folder for full outputs and snapshots; never visible to commands. */
  readonly privateDir: string
}

/** A task works in the workspace of its chat. Creates (0700) and returns the folders. Session ids hold any character, so folders are named by digest. */
export function prepareFolders(dataDir: string, sessionId: string): SessionFolders {
  const make = (kind: string, id: string): string => {
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32)
    const path = join(dataDir, kind, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return realpathSync(path)
  }
  return { workspace: make('workspaces', workspaceOwner(sessionId)), privateDir: make('private', sessionId) }
}
