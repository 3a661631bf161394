/** Messages and events of a model, in one form for every wire format. */

/** A piece of a message: text, or a picture as base64. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mime: string; readonly base64: string }

/** A call that a model makes. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** The model's JSON exactly as it came; may be broken. */
  readonly arguments: string
}

/** One message of the conversation that a model is sent. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly ContentPart[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls: readonly ToolCall[]
      readonly reasoning?: string
      /** Proof of the provider that the reasoning is its own; without it, it is not sent back. */
      readonly reasoningSignature?: string
    }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly name: string
      readonly content: readonly ContentPart[]
      readonly isError: boolean
      /** Kind of a failure, see `ToolError.type`; not sent to providers. */
      readonly errorType?: string
    }

/** A tool as a model is told about it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: object
}

/** One request to a model. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ToolSpec[]
  readonly maxOutputTokens: number
}

/** Tokens of one request, as the provider counted them. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Part of `inputTokens` that came from the provider's cache. */
  readonly cachedTokens: number
}

/** Why a model ended its reply; `length`: it reached `maxOutputTokens`. */
export type StopReason = 'end' | 'tool_calls' | 'length' | 'refusal'

/** A piece of a model's reply, in the order in which it arrives. */
export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | {
      readonly type: 'reasoning'
      readonly delta: string
      readonly signature?: string
    }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  /** Something came that is neither: so many characters of a call's arguments. Keeps watchdogs calm. */
  | { readonly type: 'progress'; readonly characters: number }
  /** The request failed before anything came and is tried again after `waitMs`; `code` says why. */
  | { readonly type: 'retry'; readonly code: string; readonly waitMs: number }
  | {
      readonly type: 'done'
      readonly stop: StopReason
      readonly usage: Usage | undefined
    }

/**
 * One wire format with one profile. `stream` yields `done` last, exactly once, or throws an
 * `AppError`: `model.overflow`, `model.rate_limited`, `model.no_balance`, `model.unavailable`,
 * `model.auth`, `model.bad_request`, `model.interrupted` (after the first event), `model.silent`.
 * An abort throws the signal's reason.
 */
export interface Model {
  /** Name for people: `glm-5.2`, `demo`. */
  readonly name: string
  readonly contextTokens: number
  readonly maxOutputTokens: number
  /** Price per million tokens in the profile's currency, if the operator gave it. */
  readonly price:
    | {
        readonly input: number
        readonly output: number
        readonly cached: number
        readonly currency: string
      }
    | undefined
  /** A line that must stand under every answer, such as the demo model's confession. */
  readonly disclosure: string | undefined
  /** It reads no schemas and pays for none: it is always given all tools. */
  readonly takesAllTools?: true
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}
