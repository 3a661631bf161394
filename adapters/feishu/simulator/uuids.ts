import type { Clock } from '../../../src/protocol/ports.ts'

const windowMs = 3_600_000

/** Which message an app's `uuid` made within the last hour. */
export interface Uuids {
  find(appId: string, uuid: string): string | undefined
  remember(appId: string, uuid: string, messageId: string): void
}

/** Starts empty; the hour runs by the monotonic clock. */
export function createUuids(clock: Clock): Uuids {
  const seen = new Map<string, { messageId: string; at: number }>()
  return {
    find: (appId, uuid) => {
      const entry = seen.get(`${appId}\n${uuid}`)
      return entry && clock.monotonic() - entry.at < windowMs ? entry.messageId : undefined
    },
    remember: (appId, uuid, messageId) => {
      seen.set(`${appId}\n${uuid}`, { messageId, at: clock.monotonic() })
      for (const [key, entry] of seen) {
        if (clock.monotonic() - entry.at < windowMs) break
        seen.delete(key)
      }
    },
  }
}
