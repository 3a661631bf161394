import { closeInbox, waitingMessages } from '../../store/repositories/inbox.ts'
import { openRun } from '../../store/repositories/runs.ts'
import { setStopRequested } from '../../store/repositories/sessions.ts'
import type { InboxRow } from '../../store/schema.ts'
import type { Db } from '../../store/store.ts'
import type { Command, CommandContext } from './command.ts'

/** Stops this session's run, its approvals and what waits behind it; nobody else's. */
export const stop: Command = async (ctx) => {
  const { deps, session, text } = ctx
  const run = await openRun(deps.store.db, session.id)
  const waiting = await saidBefore(ctx)
  if (!run && waiting.length === 0) return { markdown: text('command.stop_idle') }
  return {
    markdown:
      waiting.length > 0 ? text('command.stop_waiting', { count: waiting.length }) : text('command.stop'),
    commit: async (db) => {
      if (run) await stopRun.commit(ctx, db)
      await closeInbox(
        db,
        waiting.map((row) => row.id),
        'dropped',
      )
    },
    after: () => stopRun.after(ctx),
  }
}

/** Messages that wait and were said before the command; what is said after it is not meant by it. */
export async function saidBefore({ deps, session, rowId }: CommandContext): Promise<readonly InboxRow[]> {
  const waiting = await waitingMessages(deps.store.db, session.id)
  return waiting.filter(({ id }) => id < rowId)
}

/** Stopping a run takes two steps: a flag in the session row that every process sees, and an interrupt in this process. */
export const stopRun = {
  commit: async (ctx: CommandContext, db: Db): Promise<void> => {
    // A run that ended meanwhile must not leave its flag to the next one.
    if (await openRun(db, ctx.session.id)) await setStopRequested(db, ctx.session.id, true)
  },
  after: async ({ deps, session, event }: CommandContext): Promise<void> => {
    await deps.approvals.cancelSession(session.id, event.sender.user)
    deps.interrupt(session.id)
    await deps.queue.wake(session.id)
  },
}
