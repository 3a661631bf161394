/** Reading an answer that may never end: bounded in bytes after decompression, and in silence. */
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'

export interface BodyLimits {
  readonly maxBytes: number
  /** Longest silence between two pieces. */
  readonly idleMs: number
}

/** The whole body; rejects with `net.too_large` or `net.timeout`, and lets go of the connection then. */
export async function readBody(
  stream: ReadableStream<Uint8Array> | null,
  limits: BodyLimits,
  clock: Clock,
  abort: (reason: AppError) => void,
): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array()
  const pieces: Uint8Array[] = []
  let bytes = 0
  let cancelIdle = (): void => undefined
  const watch = (): void => {
    cancelIdle()
    cancelIdle = clock.after(limits.idleMs, () => abort(timedOut(limits.idleMs)))
  }
  watch()
  try {
    for await (const piece of stream) {
      watch()
      bytes += piece.byteLength
      if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes)
      pieces.push(piece)
    }
  } finally {
    cancelIdle()
  }
  return Buffer.concat(pieces)
}

export function timedOut(ms: number): AppError {
  return new AppError('net.timeout', `no whole answer within ${ms} ms`, {
    hint: 'The server is slow or never stops sending. Try again later or ask for less.',
    retryable: true,
    params: { seconds: Math.round(ms / 1_000) },
  })
}

function tooLarge(maxBytes: number): AppError {
  const megabytes = Math.max(1, Math.round(maxBytes / 1_048_576))
  return new AppError('net.too_large', `the answer is larger than ${maxBytes} bytes`, {
    hint: 'Ask for a smaller page or a part of it.',
    params: { megabytes },
  })
}
