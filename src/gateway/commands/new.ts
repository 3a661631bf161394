import { openRun } from '../../store/repositories/runs.ts'
import { raiseEpoch } from '../../store/repositories/sessions.ts'
import type { Command } from './command.ts'
import { stopRun } from './stop.ts'

/** Begins a new conversation; what runs is stopped first. Files stay. */
export const newConversation: Command = async (ctx) => {
  const { deps, session, text } = ctx
  const run = await openRun(deps.store.db, session.id)
  return {
    markdown: text(run ? 'command.new_stopped' : 'command.new'),
    commit: async (db) => {
      if (run) await stopRun.commit(ctx, db)
      await raiseEpoch(db, session.id, deps.clock.now())
    },
    ...(run ? { after: () => stopRun.after(ctx) } : {}),
  }
}
