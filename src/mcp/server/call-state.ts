/** What is known about a remote call. */
import type { ToolResult } from '../../protocol/tool.ts'

export type CallState =
  /** `id` is what a client asks again with. */
  | { readonly state: 'ended'; readonly id: string; readonly result: ToolResult }
  /** Goes on without the client; `note` says what it waits for. */
  | { readonly state: 'open'; readonly id: string; readonly note: string }
  /** A protocol error: no such tool, or arguments that do not fit. */
  | { readonly state: 'refused'; readonly message: string }

export interface CallOptions {
  readonly signal: AbortSignal
  /** Told what a waiting call waits for, again and again; undefined when the client wants no progress. */
  readonly onProgress: ((note: string) => void) | undefined
}
