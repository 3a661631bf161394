/**
 * The session log: an append-only list of entries per session, written only by the holder of the
 * session's lease. A run is a fold over it, so a run can stop anywhere and go on elsewhere.
 */

import type { Hydrated } from './adapter.ts'
import type { Address, UserKey } from './address.ts'
import type { Attachment } from './inbound.ts'
import type { ToolCall, Usage } from './model.ts'
import type { ToolError, Truncation } from './tool.ts'

/** A person's message as the log keeps it: hydrated, its files already on disk. */
export interface LoggedMessage {
  readonly messageId: string
  readonly user: UserKey
  readonly name: string
  /** Who else stands behind a message that the service wrote in the person's name. */
  readonly others?: readonly UserKey[]
  readonly text: string
  readonly sentAt: number
  readonly replyTo: string
  /** Quotes and forwards: content that the sender did not type. */
  readonly context: Hydrated['context']
  /** Files in the workspace, by path relative to it. */
  readonly files: readonly {
    readonly path: string
    readonly name: string
    readonly kind: Attachment['kind']
    readonly bytes: number
    /** The bytes of a small picture as they came, so that the model sees it with the message. */
    readonly image?: { readonly mime: string; readonly base64: string } | undefined
  }[]
  /** What could not be read or fetched, in the person's language. */
  readonly notes: readonly string[]
}

/** One entry of the log. */
export type LogEntry =
  /** Messages taken from the inbox in one step, or a scheduled prompt. */
  | { readonly type: 'user'; readonly messages: readonly LoggedMessage[] }
  | {
      readonly type: 'assistant'
      readonly text: string
      readonly reasoning?: string
      readonly reasoningSignature?: string
      readonly toolCalls: readonly ToolCall[]
      readonly model: string
      readonly usage?: Usage
    }
  /** The call waits for a person. */
  | {
      readonly type: 'ask'
      readonly callId: string
      readonly approvalId: string
    }
  /** Written before a call that may have an effect. */
  | {
      readonly type: 'intent'
      readonly callId: string
      readonly tool: string
      readonly approvalId?: string
      readonly digest?: string
      /** What it brings back are other people's words: a command that fetches from the network. */
      readonly foreign?: boolean
    }
  | {
      readonly type: 'result'
      readonly callId: string
      readonly tool: string
      readonly ok: boolean
      /** The model's copy, already cut. */
      readonly text: string
      readonly images?: readonly {
        readonly mime: string
        readonly base64: string
      }[]
      readonly error?: ToolError
      readonly truncated?: Truncation
      /** True when the result holds words of people outside the chat. */
      readonly foreign?: boolean
      /** File with the whole text, in the session's private folder, when the copy was cut. */
      readonly fullPath?: string
      readonly ms: number
    }
  /** Blocks of memory, shown once to a conversation and again after a summary replaced them. */
  | {
      readonly type: 'memory'
      readonly blocks: readonly {
        readonly name: string
        /** The person whom a personal block is about. */
        readonly user?: UserKey
        readonly content: string
        /** Written while other people's words stood in the conversation. */
        readonly tainted: boolean
      }[]
    }
  /** Said to the model by the service itself, such as an unknown outcome after a crash. */
  | { readonly type: 'note'; readonly text: string }
  /** Replaces everything before it, down to the entry `after`; kept pairs stay whole. */
  | { readonly type: 'summary'; readonly text: string; readonly after: number }
  | {
      readonly type: 'todos'
      readonly todos: readonly {
        readonly content: string
        readonly status: 'pending' | 'in_progress' | 'completed'
      }[]
    }
  | { readonly type: 'run_started'; readonly runId: string }
  | {
      readonly type: 'run_ended'
      readonly runId: string
      readonly outcome: RunOutcome
      readonly reason?: string
    }

/** How a run ended; `stopped`: by a person or by the service. */
export type RunOutcome = 'done' | 'failed' | 'stopped'

/** An entry with its place in the log. */
export interface StoredEntry {
  /** Rises within a session; gaps are legal. */
  readonly seq: number
  readonly at: number
  readonly runId: string
  readonly entry: LogEntry
}

/** What an engine sees of a session. Every method that writes is fenced by the worker's lease. */
export interface SessionView {
  readonly sessionId: string
  readonly runId: string
  readonly address: Address
  /** Whoever's message started the run; authority is judged for this person and all who joined. */
  readonly requester: UserKey
  readonly workspace: string
  /** Entries of the current conversation in order, from the newest summary's kept tail on. */
  entries(): readonly StoredEntry[]
  /** Appends and returns the stored entry. Rejects with `session.lease_lost` when another worker took over. */
  append(entry: LogEntry): Promise<StoredEntry>
  /**
   * Moves waiting messages from the inbox into the log as one `user` entry, hydrated; undefined when
   * none wait. Called before every model request, so that a message sent during a run is seen.
   */
  takeInput(): Promise<StoredEntry | undefined>
}
