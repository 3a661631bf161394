import type { Clock } from '../../../src/protocol/ports.ts'
import type { Socket } from './socket.ts'

interface SilenceWatch {
  /** Something came from the server. */
  seen(): void
  /** Begins to watch; the returned function ends it. */
  start(socket: Socket, onSilent: () => void): () => void
}

/** The SDK pings every two minutes; a longer silence is looked into. */
const SILENCE_MS = 150_000
const PROBE_MS = 5_000

/** Looks into long silences: a socket that does not answer a probe is reported once. */
export function createSilenceWatch(clock: Clock): SilenceWatch {
  let last = clock.monotonic()
  return {
    seen: () => {
      last = clock.monotonic()
    },
    start: (socket, onSilent) => {
      let cancel = (): void => undefined
      let stopped = false
      const arm = (ms: number): void => {
        cancel = clock.after(ms, () => void check())
      }
      const check = async (): Promise<void> => {
        const quiet = clock.monotonic() - last
        if (quiet < SILENCE_MS) return arm(SILENCE_MS - quiet)
        const alive = await socket.probe(AbortSignal.timeout(PROBE_MS))
        if (stopped) return
        if (!alive) return onSilent()
        last = clock.monotonic()
        arm(SILENCE_MS)
      }
      arm(SILENCE_MS)
      return () => {
        stopped = true
        cancel()
      }
    },
  }
}
