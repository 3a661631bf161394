/** The one error class of the house. Whoever raises it says what happened, and what to do about it. */

/** Everything of an {@link AppError} beside code and message. */
export interface AppErrorOptions {
  /** What the person who sees it should do. English; chat texts come from the locale by `code`. */
  hint?: string
  /** True when the same call may succeed later without anybody changing anything. */
  retryable?: boolean
  /** Milliseconds the other side asked us to wait before the next try. */
  retryAfterMs?: number
  /** Values for the localised text `error.<code>`; must hold no secret. */
  params?: Record<string, string | number>
  cause?: unknown
}

/** An expected failure, with a stable code and a hint for the person who sees it. */
export class AppError extends Error {
  /** Stable, dotted, room first: `feishu.bot_not_in_chat`, `config.unknown_key`. */
  readonly code: string
  readonly hint: string
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly params: Record<string, string | number>

  constructor(code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.hint = options.hint ?? ''
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.params = options.params ?? {}
  }
}

/** True for an `AppError`, and with `code` only for that one. */
export function isAppError(error: unknown, code?: string): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code)
}
