/**
 * The arguments of a call that is no command, as lines that people read: what is opened, clicked, typed and where.
 * Everything is shown; a value of several lines is indented, so that none of them can pass for another argument.
 */
import type { Translate } from '../protocol/ports.ts'

/** Arguments that have a name for people, in the order in which they are read. */
const NAMED = [
  ...['url', 'action', 'tab', 'ref', 'text', 'value', 'expression', 'clear', 'submit', 'double'],
  ...['x', 'y', 'from_x', 'from_y', 'to_x', 'to_y', 'button', 'clicks', 'key', 'title', 'script'],
] as const

const isNamed = (name: string): boolean => NAMED.some((known) => known === name)

/** @param target what the call acts on, as it looked when it was asked for */
export function showArguments(args: unknown, text: Translate, target: string | null): string {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return JSON.stringify(args, null, 2)
  const known = new Map(Object.entries(args))
  const names = [
    ...NAMED.filter((name) => known.has(name)),
    ...[...known.keys()].filter((name) => !isNamed(name)),
  ]
  const lines = names.map((name) => lineOf(name, known.get(name), text))
  if (target !== null)
    lines.unshift(text('approval.arg.line', { name: text('approval.arg.target'), value: indented(target) }))
  return lines.length === 0 ? text('approval.arg.none') : lines.join('\n')
}

function lineOf(name: string, value: unknown, text: Translate): string {
  if (!isNamed(name)) return text('approval.arg.line', { name: plainName(name), value: valueText(value) })
  const told =
    typeof value === 'boolean' ? text(value ? 'approval.arg.yes' : 'approval.arg.no') : valueText(value)
  return text('approval.arg.line', { name: text(`approval.arg.${name}`), value: told })
}

/** Names come from whoever calls; an odd one must not look like two. */
function plainName(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : JSON.stringify(name)
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return indented(JSON.stringify(value, null, 2) ?? 'null')
  // A text that could be taken for something else, or whose ends cannot be seen, stands in quotes.
  const isOdd = /^\s|\s$|^$|^(?:true|false|null|-?\d+(?:\.\d+)?)$|^["[{]/.test(value)
  return isOdd ? JSON.stringify(value) : indented(value)
}

function indented(words: string): string {
  return words.includes('\n') ? `\n  ${words.replaceAll('\n', '\n  ')}` : words
}
