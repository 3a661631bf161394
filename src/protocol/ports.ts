/** What every room is handed instead of reaching for it: time, randomness, the log, words. */

/** Time. Tests move it by hand. */
export interface Clock {
  /** Wall time, milliseconds since 1970. May jump; never use it to measure a duration. */
  now(): number
  /** Monotonic milliseconds from an arbitrary start. */
  monotonic(): number
  /** Resolves after `ms`, or rejects with the signal's reason. Waits longer than 24.8 days are legal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Runs `fn` once after `ms`; returns its cancellation. The timer never keeps the process alive. */
  after(ms: number, fn: () => void): () => void
}

/** Chance. Tests use a fixed sequence. */
export interface Random {
  /** `bytes` random bytes in lower-case base32 without padding: 16 bytes give 26 characters. */
  id(bytes?: number): string
  /** A number in [0, 1). For jitter only. */
  float(): number
}

/** The log: one structured line a call, secrets redacted. `fields` come first, an `Error` stands under `error`. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Logger
}

/** A text from the locale files, `{name}` placeholders filled in. Unknown keys throw in tests. */
export type Translate = (key: string, params?: Record<string, string | number>) => string

/** Languages of all texts that people see. */
export type Locale = 'zh-CN' | 'en'
