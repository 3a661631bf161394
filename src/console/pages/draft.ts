/** What stands in the message box: where a mention is being typed, and which mentions are in a text. */
import type { PlaygroundPerson, PlaygroundTextPart } from '../../protocol/playground.ts'

export interface MentionQuery {
  /** Position of the `@`. */
  readonly start: number
  /** What was typed behind it. */
  readonly query: string
}

const LONGEST_NAME = 20

/** The mention that is being typed at `caret`, if any. An `@` inside a word, as in an address, is none. */
export function mentionAt(text: string, caret: number): MentionQuery | undefined {
  const before = text.slice(0, caret)
  const start = before.lastIndexOf('@')
  if (start === -1 || /\w/.test(before.charAt(start - 1))) return undefined
  const query = before.slice(start + 1)
  return query.length > LONGEST_NAME || /[\s@]/.test(query) ? undefined : { start, query }
}

/** Members whose name holds what was typed; the bot first, as it is who people want here. */
export function matchMembers(
  members: readonly PlaygroundPerson[],
  query: string,
): readonly PlaygroundPerson[] {
  const wanted = query.toLowerCase()
  return members
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.role === 'bot') - Number(a.role === 'bot'))
}

/** Puts `@Name ` where the mention was being typed. */
export function completeMention(
  text: string,
  { start, query }: MentionQuery,
  name: string,
): { readonly text: string; readonly caret: number } {
  const inserted = `@${name} `
  const rest = text.slice(start + 1 + query.length).replace(/^ /, '')
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length }
}

/** Splits a typed text at the mentions of members. */
export function toParts(text: string, members: readonly PlaygroundPerson[]): readonly PlaygroundTextPart[] {
  const longestFirst = members
    .filter(({ name }) => name !== '')
    .toSorted((a, b) => b.name.length - a.name.length)
  const parts: PlaygroundTextPart[] = []
  let plain = ''
  let at = 0
  while (at < text.length) {
    const member =
      text.charAt(at) === '@' && !/\w/.test(text.charAt(at - 1))
        ? longestFirst.find(({ name }) => text.startsWith(name, at + 1))
        : undefined
    if (!member) {
      plain += text.charAt(at)
      at += 1
      continue
    }
    if (plain !== '') parts.push(plain)
    parts.push({ at: member.id })
    plain = ''
    at += 1 + member.name.length
  }
  if (plain !== '') parts.push(plain)
  return parts
}
