/** User ids as WeCom writes them: rules hold them in lower case, but `chatid` may be case-sensitive. */

interface UserIds {
  learn(id: string): void
  /** The id as last seen; as given when never seen. */
  written(id: string): string
}

const MAX_IDS = 10_000

export function createUserIds(): UserIds {
  const seen = new Map<string, string>()
  return {
    learn: (id) => {
      const oldest = seen.keys().next().value
      if (seen.size >= MAX_IDS && oldest !== undefined) seen.delete(oldest)
      seen.set(id.toLowerCase(), id)
    },
    written: (id) => seen.get(id.toLowerCase()) ?? id,
  }
}
