import type { Command } from './command.ts'

/** The tools of this chat, and what is missing for those that cannot be used. */
export const tools: Command = async ({ deps, event, text }) => {
  const list = deps
    .tools(event.address.botId)
    .map((tool) => `- \`${tool.name}\` ${tool.about}${tool.problem ? `\n  ⚠ ${tool.problem}` : ''}`)
  return { markdown: `${text('command.tools', { count: list.length })}\n${list.join('\n')}` }
}
