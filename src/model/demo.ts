/**
 * The demo model: shows what the service can do without a key and without a network. It knows a few
 * fixed phrases and says so under every answer; it refuses to pretend that it understands anything.
 */
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import type { Clock, Translate } from '../protocol/ports.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import { nextReply } from './demo-scene.ts'
import { readTurn } from './demo-turn.ts'

export interface DemoDeps {
  readonly clock: Clock
  readonly text: Translate
  readonly zone: Pick<ZoneTime, 'weekStart'>
  /** Pause between two pieces of text, milliseconds; 0 streams without waiting. */
  readonly pieceMs?: number
}

const PIECE_MS = 12
const PIECE_CODE_POINTS = 6

/** Deterministic model by fixed rules; the same request always gives the same events. */
export function createDemoModel(deps: DemoDeps): Model {
  const pieceMs = deps.pieceMs ?? PIECE_MS
  return {
    name: 'demo',
    contextTokens: 32_000,
    maxOutputTokens: 4_096,
    price: undefined,
    disclosure: deps.text('demo.disclosure'),
    takesAllTools: true,
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      signal.throwIfAborted()
      const reply = nextReply(readTurn(request.messages), request.tools, {
        text: deps.text,
        weekStart: () => deps.zone.weekStart(deps.clock.now()),
      })
      for (const delta of pieces(reply.say)) {
        if (pieceMs > 0) await deps.clock.sleep(pieceMs, signal)
        yield { type: 'text', delta }
      }
      if (reply.call) {
        const id = `demo_${countCalls(request) + 1}`
        const { tool, args } = reply.call
        yield { type: 'tool_call', call: { id, name: tool, arguments: JSON.stringify(args) } }
      }
      yield { type: 'done', stop: reply.call ? 'tool_calls' : 'end', usage: undefined }
    },
  }
}

/** Ids must not repeat within a conversation, so they count the calls that came before. */
function countCalls(request: ModelRequest): number {
  let count = 0
  for (const message of request.messages) {
    if (message.role === 'assistant') count += message.toolCalls.length
  }
  return count
}

function* pieces(text: string): Iterable<string> {
  const points = [...text]
  for (let at = 0; at < points.length; at += PIECE_CODE_POINTS) {
    yield points.slice(at, at + PIECE_CODE_POINTS).join('')
  }
}
