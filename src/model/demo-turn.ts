/** What the demo model sees of a conversation: the newest words a person typed, and what followed. */
import type { ContentPart, ModelMessage, ToolCall } from '../protocol/model.ts'

export interface DemoResult {
  readonly call: ToolCall
  readonly text: string
  readonly isError: boolean
  /** Kind of the failure, where it is known. */
  readonly errorType?: string
}

export interface DemoTurn {
  /** Typed by the person; empty when the newest message holds only files or service lines. */
  readonly said: string
  /** Results since then, in order. */
  readonly results: readonly DemoResult[]
}

/** Blocks that the projection fences: quotes, forwards, file lists, notes, summaries. */
const FENCED = /^\[#(\S+) (?:untrusted|service|summary)[^\n]*\n[\s\S]*?^\[#\1 end\]$/gm
const HEADER = /^\[#\S+ [^\n]*\]$/gm

/** Finds the last thing a person typed and the tool results that came after it. */
export function readTurn(messages: readonly ModelMessage[]): DemoTurn {
  const start = messages.findLastIndex((m) => m.role === 'user' && typedText(m.content) !== '')
  const user = messages[start]
  const said = user?.role === 'user' ? typedText(user.content) : ''
  const calls = new Map<string, ToolCall>()
  const results: DemoResult[] = []
  for (const message of messages.slice(start + 1)) {
    if (message.role === 'assistant') for (const call of message.toolCalls) calls.set(call.id, call)
    if (message.role !== 'tool') continue
    const call = calls.get(message.callId)
    if (!call) continue
    const { isError, errorType } = message
    const kind = errorType === undefined ? {} : { errorType }
    results.push({ call, text: textOf(message.content), isError, ...kind })
  }
  return { said, results }
}

function typedText(content: readonly ContentPart[]): string {
  return textOf(content).replace(FENCED, '').replace(HEADER, '').trim()
}

function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
