import { chatKey } from '../../protocol/address.ts'
import type { Translate } from '../../protocol/ports.ts'
import type { CallFigures } from '../../protocol/tool-calls.ts'
import { knownNames } from '../../store/repositories/people.ts'
import type { Command } from './command.ts'

const MOST_LINES = 10

/** Calls of tools: administrators see all chats, everybody else this one. */
export const stats: Command = async ({ deps, event, text }) => {
  const all = deps.access.isAdmin(event.sender.user)
  const scope = text(`command.stats_scope_${all ? 'all' : 'chat'}`)
  const { total, tools, chats, people } = deps.statistics(all ? undefined : chatKey(event.address))
  if (total.count === 0) return { markdown: text('command.stats_none', { scope }) }
  const names = await knownNames(
    deps.store.db,
    people.map((one) => one.name),
  )
  // The code is what /metrics shows instead: only who sees all of it has a use for it.
  const known = (one: CallFigures): CallFigures => {
    const name = names[one.name] ?? one.name
    return { ...one, name: all ? `${name} (${one.code ?? ''})` : name }
  }
  return {
    markdown: [
      text('command.stats', { scope, ...numbers(total) }),
      ...section('command.stats_tools', tools, text),
      ...section('command.stats_chats', chats.map(known), text),
      ...section('command.stats_people', people.map(known), text),
    ].join('\n'),
  }
}

function section(title: string, all: readonly CallFigures[], text: Translate): string[] {
  if (all.length === 0) return []
  const lines = all
    .slice(0, MOST_LINES)
    .map((one) => text('command.stats_line', { name: one.name, ...numbers(one) }))
  const left = all.length - lines.length
  const more = left > 0 ? [`- ${text('command.stats_more', { count: left })}`] : []
  return ['', `**${text(title)}**`, ...lines, ...more]
}

function numbers({ count, failures, denied, p50Ms, p95Ms }: CallFigures): Record<string, string | number> {
  return { count, failures, denied, p50: duration(p50Ms), p95: duration(p95Ms) }
}

const duration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)
