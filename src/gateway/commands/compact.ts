import { setCompactRequested } from '../../store/repositories/sessions.ts'
import type { Command } from './command.ts'

/** Asks for the conversation to be summed up before the next answer. */
export const compact: Command = async ({ session, text }) => ({
  markdown: text('command.compact'),
  commit: (db) => setCompactRequested(db, session.id, true),
})
