import type { Block } from '../../memory/blocks.ts'
import type { Fact } from '../../memory/facts.ts'
import type { Owner } from '../../memory/scope.ts'
import type { Command, CommandAnswer, CommandContext } from './command.ts'
import { plainWords } from './plain-words.ts'

const PER_PAGE = 30
const SHOWN_CHARACTERS = 120
const FORGET = ['forget', 'delete', '删除', '忘记']

/** What is remembered for this chat and the person who asks; `forget ID` erases it. */
export const memory: Command = async (ctx) => {
  const { args, session, event, text } = ctx
  const owner = { sessionId: session.id, user: event.sender.user }
  const [verb = '1', id] = args
  if (FORGET.includes(verb.toLowerCase())) return forget(ctx, owner, id)
  if (!/^[1-9]\d{0,4}$/.test(verb)) return { markdown: text('command.memory_usage') }
  return list(ctx, owner, Number(verb))
}

async function forget(
  { deps, text }: CommandContext,
  owner: Owner,
  id: string | undefined,
): Promise<CommandAnswer> {
  if (id === undefined) return { markdown: text('command.memory_usage') }
  const gone = await deps.memory.forget(owner, id)
  return {
    markdown: text(gone ? 'command.memory_forgotten' : 'command.memory_unknown', {
      id: plainWords(id, SHOWN_CHARACTERS),
    }),
  }
}

async function list(ctx: CommandContext, owner: Owner, page: number): Promise<CommandAnswer> {
  const { deps, text } = ctx
  const [blocks, facts] = await Promise.all([deps.memory.blocks.list(owner), deps.memory.facts.list(owner)])
  const lines = [...blocks.map((block) => blockLine(ctx, block)), ...facts.map((fact) => factLine(ctx, fact))]
  if (lines.length === 0) return { markdown: text('command.memory_none') }
  const from = (page - 1) * PER_PAGE
  const shown = lines.slice(from, from + PER_PAGE)
  const more = from + shown.length < lines.length ? text('command.memory_more', { page: page + 1 }) : ''
  const head = text('command.memory', { count: lines.length, shown: shown.length })
  return { markdown: [head, ...shown, ...(more ? [more] : []), text('command.memory_how')].join('\n') }
}

function factLine({ text }: CommandContext, fact: Fact): string {
  return line(text(`command.memory_${fact.scope}`), fact.id, `${fact.key}：${fact.value}`, fact.tainted, text)
}

function blockLine({ text }: CommandContext, block: Block): string {
  const what = `${text(`memory.block.${block.name}`)}：${block.content}`
  return line(text(`command.memory_${block.scope}`), block.name, what, block.tainted, text)
}

function line(
  scope: string,
  id: string,
  what: string,
  tainted: boolean,
  text: CommandContext['text'],
): string {
  return `- \`${id}\` ${plainWords(what, SHOWN_CHARACTERS)} (${scope}${tainted ? text('command.memory_tainted') : ''})`
}
