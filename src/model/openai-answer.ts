/** Chunks of a chat completion → model events. Knows the deviations of compatible servers. */
import { z } from 'zod'
import { AppError } from '../protocol/errors.ts'
import type { ModelEvent, StopReason, Usage } from '../protocol/model.ts'

const count = z.number().nullish().catch(null)

const toolDelta = z.looseObject({
  index: z.number().nullish().catch(null),
  id: z.string().nullish().catch(null),
  function: z
    .looseObject({
      name: z.string().nullish().catch(null),
      /** A fragment of JSON text; some local servers send the whole object. */
      arguments: z
        .union([z.string(), z.record(z.string(), z.unknown())])
        .nullish()
        .catch(null),
    })
    .nullish(),
})

/** One chunk. Fields that a server spells wrongly are ignored, never fatal. */
export const openAiChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish().catch(null),
            reasoning_content: z.string().nullish().catch(null),
            reasoning: z.string().nullish().catch(null),
            refusal: z.string().nullish().catch(null),
            tool_calls: z.array(toolDelta).nullish().catch(null),
          })
          .nullish(),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: count,
      completion_tokens: count,
      /** DeepSeek's name for the cached part. */
      prompt_cache_hit_tokens: count,
      prompt_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
})

type Chunk = z.output<typeof openAiChunk>
type ToolDelta = z.output<typeof toolDelta>

interface OpenCall {
  readonly index: number | undefined
  readonly id: string
  name: string
  text: string
}

export interface OpenAiAnswer {
  take(chunk: Chunk): Iterable<ModelEvent>
  /** Tool calls and `done`; throws `model.interrupted` when the server never said it was finished. */
  finish(): Iterable<ModelEvent>
}

/** Collects one streamed reply. */
export function createOpenAiAnswer(): OpenAiAnswer {
  const calls: OpenCall[] = []
  let finish: string | undefined
  let usage: Usage | undefined
  return {
    *take(chunk) {
      usage = readUsage(chunk.usage) ?? usage
      const choice = chunk.choices?.[0]
      const reasoning = choice?.delta?.reasoning_content || choice?.delta?.reasoning
      if (reasoning) yield { type: 'reasoning', delta: reasoning }
      const text = choice?.delta?.content || choice?.delta?.refusal
      if (text) yield { type: 'text', delta: text }
      const deltas = choice?.delta?.tool_calls ?? []
      if (deltas.length > 0) yield { type: 'progress', characters: addDeltas(calls, deltas) }
      finish = choice?.finish_reason ?? finish
    },
    *finish() {
      const stop = stopReason(finish, calls.length > 0)
      for (const [i, call] of calls.entries()) {
        const id = call.id || `call_${i}`
        yield { type: 'tool_call', call: { id, name: call.name, arguments: call.text } }
      }
      yield { type: 'done', stop, usage }
    },
  }
}

/** The number of characters that came. */
function addDeltas(calls: OpenCall[], deltas: readonly ToolDelta[]): number {
  return deltas.reduce((sum, delta) => sum + addDelta(calls, delta), 0)
}

/**
 * Deltas belong to the call of their index. A new id with a name at a known index is a new call:
 * some servers number every call 0; others leave the index out after the first delta.
 */
function addDelta(calls: OpenCall[], delta: ToolDelta): number {
  const name = delta.function?.name ?? ''
  const given = delta.function?.arguments ?? ''
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const known =
    delta.index === null || delta.index === undefined
      ? calls.findLast((call) => !delta.id || call.id === delta.id)
      : calls.findLast((call) => call.index === delta.index)
  const isNew = known === undefined || (Boolean(delta.id) && delta.id !== known.id && name !== '')
  if (isNew) {
    calls.push({ index: delta.index ?? undefined, id: delta.id ?? '', name, text })
    return text.length
  }
  if (name && known.name === '') known.name = name
  known.text = typeof given === 'string' ? known.text + text : text
  return text.length
}

function stopReason(finish: string | undefined, hasCalls: boolean): StopReason {
  switch (finish) {
    case 'length':
      return 'length'
    case 'content_filter':
    case 'sensitive':
      return 'refusal'
    case undefined:
    case 'network_error':
    case 'insufficient_system_resource':
      throw new AppError('model.interrupted', 'the answer ended without a finish reason', { retryable: true })
    default:
      return hasCalls ? 'tool_calls' : 'end'
  }
}

function readUsage(usage: Chunk['usage']): Usage | undefined {
  if (!usage || typeof usage.prompt_tokens !== 'number') return undefined
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0,
  }
}
