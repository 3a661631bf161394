import { setSessionModel } from '../../store/repositories/sessions.ts'
import type { Command } from './command.ts'

/** Shows the models, or changes the one of this session; the next run uses it. */
export const model: Command = async ({ deps, session, args, event, text }) => {
  const current = session.model ?? deps.models.defaultName
  const line = (name: string): string => {
    const label = deps.modelLabel(name)
    const shown = label === name ? name : `${name} (${label.replace(/[`*_~[\]<>@#|\\\s]+/g, ' ')})`
    return `- ${name === current ? `**${shown}** ✓` : shown}`
  }
  const list = deps.models.names.map(line).join('\n')
  const wanted = args[0]
  if (wanted === undefined) return { markdown: `${text('command.model_list')}\n${list}` }
  if (!deps.access.mayOperate(event.sender.user, event.address))
    return { markdown: text('command.model_refused') }
  const name = deps.models.names.find((known) => known.toLowerCase() === wanted.toLowerCase())
  if (name === undefined) return { markdown: `${text('command.model_unknown', { name: wanted })}\n${list}` }
  return {
    markdown: text('command.model_set', { name }),
    commit: (db) => setSessionModel(db, session.id, name),
  }
}
