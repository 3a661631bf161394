/** Pages that were just read, so that their next part needs no second fetch. Never shared between sessions. */
import type { Clock } from '../../protocol/ports.ts'

export interface PageCache<T> {
  get(session: string, url: string): T | undefined
  put(session: string, url: string, page: T): void
}

const KEPT_MS = 5 * 60_000
const MOST_PAGES = 32

export function createPageCache<T>(clock: Clock): PageCache<T> {
  const pages = new Map<string, { at: number; page: T }>()
  const keyOf = (session: string, url: string): string => JSON.stringify([session, url])
  return {
    get: (session, url) => {
      const found = pages.get(keyOf(session, url))
      return found && clock.monotonic() - found.at < KEPT_MS ? found.page : undefined
    },
    put: (session, url, page) => {
      const key = keyOf(session, url)
      pages.delete(key)
      pages.set(key, { at: clock.monotonic(), page })
      const oldest = pages.keys().next().value
      if (pages.size > MOST_PAGES && oldest !== undefined) pages.delete(oldest)
    },
  }
}
