import { AppError } from '../../src/protocol/errors.ts'
import type { Model, ModelEvent, ModelRequest, ToolCall, Usage } from '../../src/protocol/model.ts'

/** One reply: text, calls, or events as they are; an error breaks it off where it stands. */
export type ScriptStep =
  | string
  | Error
  | {
      readonly text?: string
      readonly calls?: readonly ScriptCall[]
      readonly usage?: Usage
      readonly stop?: 'length' | 'refusal'
    }
  | readonly (ModelEvent | Error)[]

export type ScriptCall = ToolCall | readonly [name: string, args: unknown, id?: string]

export interface ScriptedModel extends Model {
  /** Every request, as it came. */
  readonly requests: ModelRequest[]
}

/**
 * A model that plays given replies and keeps the requests; asking once too often fails. A function
 * decides by the request instead, as a resumed run needs it.
 */
export function createScriptedModel(
  steps: readonly ScriptStep[] | ((request: ModelRequest) => ScriptStep),
  facts: Partial<Pick<Model, 'contextTokens' | 'maxOutputTokens' | 'price' | 'name'>> = {},
): ScriptedModel {
  const requests: ModelRequest[] = []
  let ids = 0
  const nextId = (): string => `c${++ids}`
  return {
    name: 'scripted',
    contextTokens: 100_000,
    maxOutputTokens: 4_000,
    price: undefined,
    disclosure: undefined,
    ...facts,
    requests,
    async *stream(request, signal) {
      const step = typeof steps === 'function' ? steps(request) : steps[requests.length]
      requests.push(request)
      if (step === undefined) throw new AppError('model.bad_request', 'the script has no more steps')
      for (const event of eventsOf(step, nextId)) {
        await Promise.resolve()
        signal.throwIfAborted()
        if (event instanceof Error) throw event
        yield event
      }
    },
  }
}

function eventsOf(step: ScriptStep, nextId: () => string): readonly (ModelEvent | Error)[] {
  if (step instanceof Error) return [step]
  if (typeof step === 'string') return eventsOf({ text: step }, nextId)
  if (!('length' in step)) {
    const { text = '', calls = [], usage, stop } = step
    const half = Math.ceil(text.length / 2)
    return [
      ...[text.slice(0, half), text.slice(half)]
        .filter(Boolean)
        .map((delta) => ({ type: 'text' as const, delta })),
      ...calls.map((call) => ({ type: 'tool_call' as const, call: toolCall(call, nextId) })),
      { type: 'done', stop: stop ?? (calls.length > 0 ? 'tool_calls' : 'end'), usage },
    ]
  }
  return step
}

function toolCall(call: ScriptCall, nextId: () => string): ToolCall {
  if ('id' in call) return call
  const [name, args, id] = call
  return { id: id ?? nextId(), name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}
