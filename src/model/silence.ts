/** Watches one stream: nothing for too long aborts it. */
import type { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'

export interface SilenceWatch {
  /** Aborts with the caller's signal or with the silence. */
  readonly signal: AbortSignal
  alive(): void
  /** The pending promise, or a rejection as soon as {@link signal} aborts. Only waiting counts as silence. */
  race<T>(pending: Promise<T>): Promise<T>
  /** The silence that ended the stream, if it did. */
  reason(): AppError | undefined
  /** Ends the watch and aborts what still runs. */
  stop(): void
}

/** @param silenceMs longest wait for the next chunk, milliseconds */
export function watchSilence(
  clock: Clock,
  silenceMs: number,
  outer: AbortSignal,
  silent: () => AppError,
): SilenceWatch {
  const controller = new AbortController()
  const signal = AbortSignal.any([outer, controller.signal])
  let failure: AppError | undefined
  let waiting = false
  let lastAt = clock.monotonic()
  const check = (): void => {
    const left = lastAt + silenceMs - clock.monotonic()
    if (waiting && left <= 0) {
      failure = silent()
      controller.abort(failure)
      return
    }
    cancel = clock.after(left > 0 ? left : silenceMs, check)
  }
  let cancel = clock.after(silenceMs, check)
  const aborted = new Promise<never>((_, reject) => {
    const fail = (): void => reject(signal.reason)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
  aborted.catch(() => undefined)
  return {
    signal,
    alive: () => {
      lastAt = clock.monotonic()
    },
    race: async (pending) => {
      waiting = true
      lastAt = clock.monotonic()
      try {
        return await Promise.race([pending, aborted])
      } finally {
        waiting = false
      }
    },
    reason: () => failure,
    stop: () => {
      cancel()
      controller.abort()
    },
  }
}
