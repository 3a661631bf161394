/**
 * What a summary must carry whatever the model wrote: files read and changed, what people approved,
 * whether untrusted content was seen, and the last request in the person's own words. The facts are
 * one JSON line, so that the next compaction reads and extends them.
 */
import { z } from 'zod'
import type { ToolCall } from '../protocol/model.ts'
import type { StoredEntry } from '../protocol/session-log.ts'
import { argumentsObject } from '../protocol/tool-arguments.ts'

const MAX_FACTS = 50
const REQUEST_CHARACTERS = 4_000
const READING = new Set(['read_file', 'grep'])
const WRITING = new Set(['write_file', 'edit_file'])
const PREFIX = 'FACTS '

const factsShape = z.object({
  read: z.array(z.string()),
  modified: z.array(z.string()),
  approved: z.array(z.string()),
  untrusted: z.boolean(),
  lastRequest: z.string(),
})

export type Facts = z.output<typeof factsShape>

/**
 * Facts of an earlier summary and of the entries now left out. The last request is taken from all
 * entries, since the tail may begin in the middle of the work on it.
 */
export function collectFacts(
  summary: string | undefined,
  head: readonly StoredEntry[],
  all: readonly StoredEntry[],
): Facts {
  const before = readFacts(summary)
  const calls = callsById(head)
  const succeeded = (names: ReadonlySet<string>): string[] =>
    head.flatMap(({ entry }) => {
      const call = entry.type === 'result' && entry.ok ? calls.get(entry.callId) : undefined
      const path = call && names.has(call.name) ? argumentsObject(call.arguments)['path'] : undefined
      return typeof path === 'string' ? [path] : []
    })
  const approved = head.flatMap(({ entry }) => {
    const call = entry.type === 'intent' && entry.approvalId ? calls.get(entry.callId) : undefined
    return call ? [`${call.name} ${call.arguments.slice(0, 200)}`.toWellFormed()] : []
  })
  const untrusted = head.some(
    ({ entry }) =>
      entry.type === 'user' && entry.messages.some((m) => m.context.length > 0 || m.files.length > 0),
  )
  return {
    read: newest([...before.read, ...succeeded(READING)]),
    modified: newest([...before.modified, ...succeeded(WRITING)]),
    approved: newest([...before.approved, ...approved]),
    untrusted: before.untrusted || untrusted,
    lastRequest: lastRequest(all) || before.lastRequest,
  }
}

/** For the model, and for {@link collectFacts} of the next compaction. */
export function factsText(facts: Facts): string {
  return `${PREFIX}${JSON.stringify(facts)}`
}

function readFacts(summary: string | undefined): Facts {
  const line = summary?.split('\n').findLast((text) => text.startsWith(PREFIX))
  const none = { read: [], modified: [], approved: [], untrusted: false, lastRequest: '' }
  if (!line) return none
  try {
    return factsShape.safeParse(JSON.parse(line.slice(PREFIX.length))).data ?? none
  } catch {
    // A summary of another origin has no facts to carry on.
    return none
  }
}

function callsById(entries: readonly StoredEntry[]): Map<string, ToolCall> {
  const calls = new Map<string, ToolCall>()
  for (const { entry } of entries) {
    if (entry.type === 'assistant') for (const call of entry.toolCalls) calls.set(call.id, call)
  }
  return calls
}

function lastRequest(entries: readonly StoredEntry[]): string {
  const last = entries.findLast(({ entry }) => entry.type === 'user')?.entry
  if (last?.type !== 'user') return ''
  const text = last.messages.map((message) => message.text).join('\n')
  return text.slice(0, REQUEST_CHARACTERS).toWellFormed()
}

/** Without repeats, the newest last, bounded. */
function newest(items: readonly string[]): string[] {
  return [...new Set([...items].reverse())].slice(0, MAX_FACTS).reverse()
}
