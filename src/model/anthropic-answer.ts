/** Server-sent events of the Messages API → model events. */
import { z } from 'zod'
import { AppError } from '../protocol/errors.ts'
import type { ModelEvent, StopReason, Usage } from '../protocol/model.ts'

const usageShape = z.looseObject({
  input_tokens: z.number().nullish().catch(null),
  output_tokens: z.number().nullish().catch(null),
  cache_creation_input_tokens: z.number().nullish().catch(null),
  cache_read_input_tokens: z.number().nullish().catch(null),
})

/** One event. Block and delta types that we do not know pass through and are ignored. */
export const anthropicEvent = z.looseObject({
  type: z.string(),
  index: z.number().optional(),
  message: z.looseObject({ usage: usageShape.nullish().catch(null) }).optional(),
  content_block: z
    .looseObject({
      type: z.string(),
      id: z.string().optional(),
      name: z.string().optional(),
      text: z.string().optional(),
      input: z.unknown().optional(),
    })
    .optional(),
  delta: z
    .looseObject({
      type: z.string().optional(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      partial_json: z.string().optional(),
      stop_reason: z.string().nullish(),
    })
    .optional(),
  usage: usageShape.nullish().catch(null),
})

type Event = z.output<typeof anthropicEvent>

interface OpenCall {
  readonly id: string
  readonly name: string
  /** Used when no deltas follow. */
  readonly whole: string
  text: string
}

export interface AnthropicAnswer {
  take(event: Event): Iterable<ModelEvent>
  /** Tool calls and `done`; throws `model.interrupted` when the message was never stopped. */
  finish(): Iterable<ModelEvent>
}

/** Collects one streamed reply. */
export function createAnthropicAnswer(): AnthropicAnswer {
  const calls = new Map<number, OpenCall>()
  const tokens = { input: 0, output: 0, cached: 0, seen: false }
  let stop: string | undefined
  return {
    *take(event) {
      addUsage(tokens, event.message?.usage ?? event.usage)
      stop = event.delta?.stop_reason ?? stop
      const block = event.content_block
      if (block?.type === 'tool_use') {
        const { id = '', name = '' } = block
        calls.set(event.index ?? calls.size, { id, name, whole: JSON.stringify(block.input ?? {}), text: '' })
      }
      if (block?.text) yield { type: 'text', delta: block.text }
      const delta = event.delta
      if (delta?.text) yield { type: 'text', delta: delta.text }
      if (delta?.thinking) yield { type: 'reasoning', delta: delta.thinking }
      if (delta?.signature) yield { type: 'reasoning', delta: '', signature: delta.signature }
      const call = calls.get(event.index ?? -1)
      if (call && delta?.partial_json) {
        call.text += delta.partial_json
        yield { type: 'progress', characters: delta.partial_json.length }
      }
    },
    *finish() {
      const reason = stopReason(stop, calls.size > 0)
      for (const call of calls.values()) {
        yield {
          type: 'tool_call',
          call: { id: call.id, name: call.name, arguments: call.text || call.whole },
        }
      }
      yield { type: 'done', stop: reason, usage: readUsage(tokens) }
    },
  }
}

function stopReason(stop: string | undefined, hasCalls: boolean): StopReason {
  switch (stop) {
    case undefined:
      throw new AppError('model.interrupted', 'the answer ended without a stop reason', { retryable: true })
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'refusal'
    default:
      return hasCalls ? 'tool_calls' : 'end'
  }
}

/** `message_start` brings the input, `message_delta` the final output; both are totals, not additions. */
function addUsage(
  tokens: { input: number; output: number; cached: number; seen: boolean },
  usage: Event['usage'],
): void {
  if (!usage) return
  const cached = usage.cache_read_input_tokens ?? 0
  const input = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cached
  tokens.seen = true
  tokens.input = Math.max(tokens.input, input)
  tokens.cached = Math.max(tokens.cached, cached)
  tokens.output = Math.max(tokens.output, usage.output_tokens ?? 0)
}

function readUsage(tokens: {
  input: number
  output: number
  cached: number
  seen: boolean
}): Usage | undefined {
  if (!tokens.seen || tokens.input + tokens.output === 0) return undefined
  return { inputTokens: tokens.input, outputTokens: tokens.output, cachedTokens: tokens.cached }
}
