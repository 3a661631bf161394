/** Outgoing messages. Only the room `outbound` passes them to adapters. */
import type { Card } from './card.ts'

/** What a run is doing, as people see it. */
export type RunPhase = 'thinking' | 'working' | 'waiting' | 'done' | 'failed' | 'stopped'

/** One tool call in the list of steps. */
export interface LiveStep {
  readonly callId: string
  readonly tool: string
  /** One line that says what the call is about, already localised and redacted. */
  readonly title: string
  readonly status: 'running' | 'ok' | 'failed' | 'denied' | 'waiting'
  readonly ms?: number
}

/** One item of the run's to-do list. */
export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
}

/** Everything one evolving message shows. Complete each time: the newest state replaces the last. */
export interface LiveState {
  readonly phase: RunPhase
  /** Localised label of the phase, e.g. "正在思考…". */
  readonly label: string
  /** Markdown of the answer so far. */
  readonly text: string
  readonly steps: readonly LiveStep[]
  readonly todos: readonly Todo[]
  /** Small print: model, cost, "continued below", or the demo model's own confession. */
  readonly footer?: string
  /** A decided approval in whose card the run goes on; painted above the rest. */
  readonly head?: Card
}

/** A file to send. */
export interface OutboundFile {
  /** Absolute path of an immutable snapshot owned by the outbox. */
  readonly path: string
  /** Name that people see. Any Unicode; adapters escape it for their wire. */
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** `image` is shown inline where the platform can; anything else is a file. */
  readonly kind: 'image' | 'file' | 'audio' | 'video'
}

interface Envelope {
  /** Platform id of the message that this answers; see `MessageEvent.replyTo`. */
  readonly replyTo?: string
}

/** Everything that an adapter can be asked to send. */
export type OutboundMessage = Envelope &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'markdown'; readonly markdown: string }
    | { readonly type: 'card'; readonly card: Card }
    | { readonly type: 'live'; readonly live: LiveState }
    | { readonly type: 'file'; readonly file: OutboundFile }
  )

/** A message on the platform. `handle` is the adapter's own data for later updates; JSON, small. */
export interface SentMessage {
  readonly messageId: string
  readonly handle: Readonly<Record<string, string | number | boolean>>
}
