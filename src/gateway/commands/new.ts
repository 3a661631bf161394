import { openRun } from '../../store/repositories/runs.ts'
import { raiseEpoch } from '../../store/repositories/sessions.ts'
import type { Command } from './command.ts'
import { saidBefore, stopRun } from './stop.ts'

/** Begins a new conversation; what runs is stopped first. Files stay, and what waits is answered in it. */
export const newConversation: Command = async (ctx) => {
  const { deps, session, text } = ctx
  const run = await openRun(deps.store.db, session.id)
  const count = (await saidBefore(ctx)).length
  const begun = text(run ? 'command.new_stopped' : 'command.new')
  return {
    markdown: count > 0 ? `${begun}\n${text('command.new_waiting', { count })}` : begun,
    commit: async (db) => {
      if (run) await stopRun.commit(ctx, db)
      await raiseEpoch(db, session.id, deps.clock.now())
    },
    ...(run ? { after: () => stopRun.after(ctx) } : {}),
  }
}
