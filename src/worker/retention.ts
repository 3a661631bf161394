/** What a chat leaves behind is wiped a while after it is gone (T3): its files, not its records. */
import type { Clock, Logger } from '../protocol/ports.ts'
import { wipeFolders } from '../session/workspace.ts'
import { sessionsOfGoneChats } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

export interface RetentionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Puts it on the record. */
  readonly onWiped: (sessionId: string) => Promise<void>
  readonly dataDir: string
  /** Milliseconds from the moment at which the bot was removed or the chat disbanded; `never` keeps all. */
  readonly keep: number | 'never'
}

/** Workspaces of remote callers are theirs, not the chat's that decides on their calls. */
const REMOTE = /^remote[-:]/

/** Wipes what is due. Safe to repeat; a chat that the bot is in again is left alone. */
export async function wipeGoneChats(deps: RetentionDeps): Promise<void> {
  if (deps.keep === 'never') return
  const now = deps.clock.now()
  for (const id of await sessionsOfGoneChats(deps.store.db, now - deps.keep, now)) {
    if (REMOTE.test(id) || !(await wipeFolders(deps.dataDir, id))) continue
    deps.logger.info({ session: id }, 'the files of a chat that is gone were wiped')
    await deps.onWiped(id)
  }
}
