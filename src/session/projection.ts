/**
 * The session log as a model's history, a pure fold. Whatever the log looks like after a crash, the
 * result is legal: every call has exactly one result, in call order, and what people wrote meanwhile
 * comes after them. Entries only add to the end, so the prefix is the same bytes from turn to turn.
 */
import type { ContentPart, ModelMessage, ToolCall } from '../protocol/model.ts'
import type { LogEntry, StoredEntry } from '../protocol/session-log.ts'
import { argumentsObject } from '../protocol/tool-arguments.ts'
import { messageText } from './message-text.ts'
import { boundPictures } from './pictures.ts'
import { createPromptMarks, type PromptMarks } from './prompt-marks.ts'

export interface ProjectionOptions {
  readonly sessionId: string
  /** Name of the model that will read it: reasoning of another model is left out. */
  readonly model: string
  /** Messages already made; entries never change, so a long run folds only what is new. */
  readonly memo?: ProjectionMemo
}

/** The message of an entry, made once: entries never change. It lives as long as the entries do. */
export type ProjectionMemo = WeakMap<LogEntry, ModelMessage>

type Result = Extract<LogEntry, { type: 'result' }>

/** A turn's calls whose results are being collected, and messages that must wait for them. */
interface Group {
  readonly calls: readonly ToolCall[]
  readonly results: Map<string, Result>
  readonly deferred: ModelMessage[]
}

const NO_RESULT =
  'No result of this call was recorded; it may or may not have run. Check the state before you call it again.'

/** Folds entries into messages. Entries that a summary replaced are skipped. */
export function projectMessages(
  entries: readonly StoredEntry[],
  options: ProjectionOptions,
): readonly ModelMessage[] {
  const marks = createPromptMarks(options.sessionId)
  const out: ModelMessage[] = []
  let group: Group | undefined
  const close = (): void => {
    if (!group) return
    out.push(...resultMessages(group, once), ...group.deferred)
    group = undefined
  }
  const say = (message: ModelMessage): void => {
    if (group) group.deferred.push(message)
    else out.push(message)
  }
  const memo: ProjectionMemo = options.memo ?? new WeakMap()
  const once = (entry: LogEntry, make: () => ModelMessage): ModelMessage => {
    const known = memo.get(entry)
    if (known) return known
    const message = make()
    memo.set(entry, message)
    return message
  }
  const { summary, kept } = splitAtSummary(entries)
  if (summary !== undefined)
    out.push(textMessage(marks.block('summary of the earlier conversation', summary)))
  for (const { entry } of kept) {
    if (entry.type === 'user') say(once(entry, () => userMessage(entry, marks)))
    if (entry.type === 'memory') say(once(entry, () => memoryMessage(entry, marks)))
    if (entry.type === 'note') say(once(entry, () => textMessage(marks.block('service note', entry.text))))
    if (entry.type === 'result') group?.results.set(entry.callId, firstOf(group, entry))
    if (entry.type === 'assistant' && !isEmpty(entry)) {
      close()
      out.push(once(entry, () => assistantMessage(entry, options.model)))
      // Most turns of a long conversation call nothing, and nothing waits for their results.
      if (entry.toolCalls.length > 0) group = { calls: entry.toolCalls, results: new Map(), deferred: [] }
    }
  }
  close()
  return boundPictures(out)
}

/** A call of the last model turn that has no result yet. */
export interface OpenCall {
  readonly call: ToolCall
  /** The approval it waits for, if it ever waited. */
  readonly approvalId: string | undefined
  /** True when it was started: it may have had its effect. */
  readonly started: boolean
}

/** Calls of the last assistant entry without a result, in call order. */
export function openCalls(entries: readonly StoredEntry[]): readonly OpenCall[] {
  const at = entries.findLastIndex(({ entry }) => entry.type === 'assistant')
  const last = entries[at]?.entry
  if (last?.type !== 'assistant') return []
  const done = new Set<string>()
  const asked = new Map<string, string>()
  const started = new Set<string>()
  for (const { entry } of entries.slice(at + 1)) {
    if (entry.type === 'result') done.add(entry.callId)
    if (entry.type === 'ask') asked.set(entry.callId, entry.approvalId)
    if (entry.type === 'intent') started.add(entry.callId)
  }
  return last.toolCalls
    .filter((call) => !done.has(call.id))
    .map((call) => ({ call, approvalId: asked.get(call.id), started: started.has(call.id) }))
}

/** The newest summary, and the entries that it does not replace. */
export function splitAtSummary(entries: readonly StoredEntry[]): {
  readonly summary: string | undefined
  readonly kept: readonly StoredEntry[]
} {
  const last = entries.findLast(({ entry }) => entry.type === 'summary')?.entry
  if (last?.type !== 'summary') return { summary: undefined, kept: entries }
  const kept = entries.filter(({ seq, entry }) => seq > last.after && entry.type !== 'summary')
  return { summary: last.text, kept }
}

function firstOf(group: Group, result: Result): Result {
  return group.results.get(result.callId) ?? result
}

function isEmpty(entry: Extract<LogEntry, { type: 'assistant' }>): boolean {
  return entry.text.trim() === '' && entry.toolCalls.length === 0
}

function userMessage(entry: Extract<LogEntry, { type: 'user' }>, marks: PromptMarks): ModelMessage {
  const content = entry.messages.flatMap((message): ContentPart[] => [
    { type: 'text', text: messageText(message, marks) },
    ...message.files.flatMap(({ image }): ContentPart[] => (image ? [{ type: 'image', ...image }] : [])),
  ])
  return { role: 'user', content }
}

/** Blocks are data; those written beside other people's words are fenced like those words (P6). */
function memoryMessage(entry: Extract<LogEntry, { type: 'memory' }>, marks: PromptMarks): ModelMessage {
  const parts = entry.blocks.map(({ name, user, content, tainted }) => {
    const whose = user === undefined ? '' : ` of ${marks.quote(user)}`
    return marks.block(`${tainted ? 'untrusted' : 'service'} memory ${name}${whose}`, content)
  })
  return textMessage(parts.join('\n'))
}

function textMessage(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

function assistantMessage(entry: Extract<LogEntry, { type: 'assistant' }>, model: string): ModelMessage {
  const own = entry.model === model
  return {
    role: 'assistant',
    text: entry.text.toWellFormed(),
    toolCalls: entry.toolCalls.map((call) => ({
      ...call,
      arguments: JSON.stringify(argumentsObject(call.arguments)),
    })),
    ...(own && entry.reasoning ? { reasoning: entry.reasoning } : {}),
    ...(own && entry.reasoningSignature ? { reasoningSignature: entry.reasoningSignature } : {}),
  }
}

function resultMessages(
  group: Group,
  once: (entry: LogEntry, make: () => ModelMessage) => ModelMessage,
): ModelMessage[] {
  return group.calls.map((call) => {
    const result = group.results.get(call.id)
    return result ? once(result, () => resultMessage(call, result)) : resultMessage(call, undefined)
  })
}

function resultMessage(call: ToolCall, result: Result | undefined): ModelMessage {
  const content: ContentPart[] = [{ type: 'text', text: result?.text.toWellFormed() ?? NO_RESULT }]
  for (const image of result?.images ?? []) content.push({ type: 'image', ...image })
  const kind = result?.error ? { errorType: result.error.type } : {}
  return { role: 'tool', callId: call.id, name: call.name, content, isError: result?.ok !== true, ...kind }
}
