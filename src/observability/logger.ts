/** Structured logs, one JSON line each, through a redactor: nothing reaches the stream unredacted. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Logger } from '../protocol/ports.ts'
import type { Redact } from './redact.ts'

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Short lines for a person at a terminal instead of JSON. */
  readonly pretty: boolean
  readonly redact: Redact
  readonly write: (line: string) => void
}

/** Writes one redacted line per call through `options.write`. */
export function createLogger(options: LoggerOptions): Logger {
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      const line = options.redact(String(chunk))
      options.write(options.pretty ? prettify(line) : line)
      done()
    },
  })
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: serializeError, err: serializeError },
    },
    stream,
  )
}

/** Errors of SDKs carry whole requests; only what helps and cannot hold a secret is kept. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const extra = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const hint =
    'hint' in error && typeof error.hint === 'string' && error.hint !== '' ? { hint: error.hint } : {}
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {}
  return {
    ...extra,
    message: error.message,
    ...hint,
    ...cause,
    stack: error.stack?.split('\n').slice(1, 6).join('\n'),
  }
}

function prettify(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = String(time).slice(11, 19)
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}${fields.length > 0 ? `  ${fields.join(' ')}` : ''}\n`
}
