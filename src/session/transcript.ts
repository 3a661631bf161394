/** A history as one text for the summary, within a budget. Pure. */
import type { ContentPart, ModelMessage } from '../protocol/model.ts'
import { estimateTokens } from './token-estimate.ts'

const RESULT_CHARACTERS = 1_200
const ARGUMENT_CHARACTERS = 600
/** A reply may hold many calls; no single message may fill the request. */
const LINE_CHARACTERS = 6_000

/** Keeps the beginning and the newest part; says how much of the middle is left out. */
export function transcript(
  summary: string | undefined,
  messages: readonly ModelMessage[],
  tokens: number,
): string {
  const lines = messages.map((message) => clip(line(message), LINE_CHARACTERS))
  const first = summary === undefined ? [] : [`SUMMARY SO FAR:\n${summary}`]
  const head = [...first, ...lines.slice(0, 2)]
  const tail: string[] = []
  let left = tokens - estimateTokens(head.join('\n'))
  let at = lines.length
  while (at > 2) {
    const next = lines[at - 1] ?? ''
    left -= estimateTokens(next)
    if (left < 0) break
    tail.unshift(next)
    at -= 1
  }
  const omitted = Math.max(0, at - 2)
  const gap = omitted > 0 ? [`… ${omitted} messages left out …`] : []
  return [...head, ...gap, ...tail].join('\n\n')
}

function line(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return `USER: ${clip(textOf(message.content), RESULT_CHARACTERS * 2)}`
    case 'assistant': {
      const calls = message.toolCalls.map(
        (call) => `CALL ${call.name} ${clip(call.arguments, ARGUMENT_CHARACTERS)}`,
      )
      return [`ASSISTANT: ${clip(message.text, RESULT_CHARACTERS * 2)}`, ...calls].join('\n')
    }
    case 'tool':
      return `RESULT ${message.name}${message.isError ? ' (failed)' : ''}: ${clip(textOf(message.content), RESULT_CHARACTERS)}`
  }
}

function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '[picture]')).join('\n')
}

function clip(text: string, characters: number): string {
  if (text.length <= characters) return text
  const half = Math.floor(characters / 2)
  return `${text.slice(0, half)} … ${text.slice(-half)}`.toWellFormed()
}
