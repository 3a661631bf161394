/** Names of colleagues by `user/get`: cached, bounded, and silent when the app may not look. */
import { z } from 'zod'
import type { Clock } from '../../src/protocol/ports.ts'
import type { AppApi } from './app-api.ts'
import { isEncryptedId } from './identity.ts'

export interface Directory {
  /** The display name; undefined when unknown, outside the visible range, or not permitted. Never rejects. */
  name(userId: string, signal?: AbortSignal): Promise<string | undefined>
}

const KEEP_MS = 10 * 60_000
const MAX_ENTRIES = 5_000
const userSchema = z.looseObject({ name: z.string().optional() })

export function createDirectory(api: AppApi, clock: Clock): Directory {
  const known = new Map<string, { name: Promise<string | undefined>; until: number }>()
  const look = async (userId: string, signal?: AbortSignal): Promise<string | undefined> => {
    try {
      return userSchema.parse(await api.read('user/get', { userid: userId }, signal)).name || undefined
    } catch {
      return undefined // Names are only shown: the id takes the name's place.
    }
  }
  return {
    name: (userId, signal) => {
      if (isEncryptedId(userId) || userId === '') return Promise.resolve(undefined)
      const key = userId.toLowerCase()
      const entry = known.get(key)
      if (entry && clock.monotonic() < entry.until) return entry.name
      const oldest = known.keys().next().value
      if (known.size >= MAX_ENTRIES && oldest !== undefined) known.delete(oldest)
      const name = look(userId, signal)
      known.set(key, { name, until: clock.monotonic() + KEEP_MS })
      return name
    },
  }
}
