/** Deletes the files of chats that are gone, some time afterwards (T3). Database rows stay. */

import type { Clock, Logger } from '../protocol/ports.ts'
import { isRemoteSession } from '../protocol/remote-session.ts'
import { workspaceOwner } from '../protocol/workbench.ts'
import { takeLease } from '../session/lease.ts'
import { wipeFolders } from '../session/workspace.ts'
import { sessionsOfGoneChats } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

export interface RetentionDeps {
  readonly store: Store
  /** This process, for the lease. */
  readonly owner: string
  readonly clock: Clock
  readonly logger: Logger
  /** Puts it on the record. */
  readonly onWiped: (sessionId: string) => Promise<void>
  readonly dataDir: string
  /** Milliseconds from the moment at which the bot was removed or the chat disbanded; `never` keeps all. */
  readonly keep: number | 'never'
}

/** Workspaces of remote callers are theirs, not the chat's that decides on their calls. */
const isRemote = (sessionId: string): boolean => isRemoteSession(workspaceOwner(sessionId))

/** Wipes what is due. Safe to repeat; a chat that the bot is in again is left alone. */
export async function wipeGoneChats(deps: RetentionDeps): Promise<void> {
  if (deps.keep === 'never') return
  const before = deps.clock.now() - deps.keep
  for (const id of await sessionsOfGoneChats(deps.store.db, before)) {
    if (!isRemote(id)) await wipeHeld(deps, id, before)
  }
}

/** Holds the session meanwhile, so that nobody begins to work in a folder that is being removed. */
async function wipeHeld(deps: RetentionDeps, id: string, before: number): Promise<void> {
  const lease = await takeLease(deps, id)
  if (!lease) return
  try {
    // Somebody may have spoken since the list was read.
    if (!(await sessionsOfGoneChats(deps.store.db, before)).includes(id)) return
    if (!(await wipeFolders(deps.dataDir, id))) return
    deps.logger.info({ session: id }, 'the files of a chat that is gone were wiped')
    await deps.onWiped(id)
  } finally {
    await lease.release()
  }
}
