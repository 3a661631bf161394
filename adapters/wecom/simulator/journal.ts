/** Everything that crossed the wire, and who waits to hear of it. Keeps no secret and no file content. */
import type { JournalEntry, WecomChange } from './control.ts'

export interface Journal {
  entries(): JournalEntry[]
  /** Adds an entry; the returned function completes it with the answer. */
  open(
    entry: Omit<JournalEntry, 'id' | 'at' | 'answer' | 'errcode'>,
  ): (answer: unknown, errcode?: number) => void
  changed(change: WecomChange): void
  onChange(listener: (change: WecomChange) => void): () => void
  until(condition: () => boolean): Promise<void>
}

const SECRET_FIELDS = new Set(['secret', 'corpsecret', 'access_token'])
const MAX_ENTRIES = 20_000

/** A copy fit for reading: secrets gone, base64 data as its length. */
export function scrub(value: unknown, field = ''): unknown {
  if (typeof value === 'string') {
    if (SECRET_FIELDS.has(field)) return '***'
    return (field === 'base64_data' || field === 'base64') && value.length > 64
      ? `<${value.length} chars>`
      : value
  }
  if (Array.isArray(value)) return value.map((item) => scrub(item))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, scrub(inner, name)]))
}

export function createJournal(now: () => number): Journal {
  const entries: JournalEntry[] = []
  const listeners = new Set<(change: WecomChange) => void>()
  let count = 0
  const waiting = new Set<{ condition: () => boolean; resolve: () => void }>()
  const changed = (change: WecomChange): void => {
    for (const listener of listeners) listener(change)
    for (const waiter of [...waiting]) {
      if (!waiter.condition()) continue
      waiting.delete(waiter)
      waiter.resolve()
    }
  }
  return {
    entries: () => [...entries],
    open: (entry) => {
      const full: JournalEntry = { ...entry, id: ++count, at: now(), request: scrub(entry.request) }
      if (entries.length >= MAX_ENTRIES) entries.shift()
      entries.push(full)
      changed({ type: 'traffic' })
      return (answer, errcode) => {
        full.answer = scrub(answer)
        if (errcode !== undefined) full.errcode = errcode
        changed({ type: 'traffic' })
      }
    },
    changed,
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    until: (condition) =>
      condition() ? Promise.resolve() : new Promise((resolve) => waiting.add({ condition, resolve })),
  }
}
