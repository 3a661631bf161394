import { createTranslate } from '../../src/locale/index.ts'
import type { ModelDeps } from '../../src/model/index.ts'
import type { Model, ModelEvent, ModelMessage, ModelRequest } from '../../src/protocol/model.ts'
import { createManualClock, type ManualClock } from './clock.ts'
import { createSeededRandom } from './random.ts'
import { ZONE } from './zone.ts'

export const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })

export function request(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'system text', messages, tools: [], maxOutputTokens: 500, ...more }
}

/** A clock whose sleeps end at once but count: retries without waiting. */
export function createHastyClock(): ManualClock & { readonly slept: number[] } {
  const clock = createManualClock()
  const slept: number[] = []
  return {
    ...clock,
    slept,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      clock.jump(ms)
      await clock.advance(ms)
    },
  }
}

export function modelDeps(more: Partial<ModelDeps> = {}): ModelDeps {
  return {
    ...{ clock: createHastyClock(), random: createSeededRandom(), zone: ZONE },
    text: createTranslate('en'),
    ...more,
  }
}

export interface Streamed {
  readonly events: ModelEvent[]
  readonly text: string
  readonly error: unknown
}

/** Reads a stream to its end or its error. */
export async function read(
  model: Model,
  body: ModelRequest,
  signal = new AbortController().signal,
): Promise<Streamed> {
  const events: ModelEvent[] = []
  let error: unknown
  try {
    for await (const event of model.stream(body, signal)) events.push(event)
  } catch (thrown) {
    error = thrown
  }
  const text = events.map((event) => (event.type === 'text' ? event.delta : '')).join('')
  return { events, text, error }
}
