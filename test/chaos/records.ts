/** What the service has put down, read from its database from outside while it lives or lies dead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface SlotRecord {
  readonly schedule_id: string
  readonly slot: string
  readonly state: string
  readonly deliveries: readonly string[]
}

export interface Records {
  /** True when the message with these words is in the inbox. */
  heard(words: string): boolean
  /** True when a message to the chat was closed as "unknown" or "failed" since then. */
  unknownSince(chatId: string, since: number): boolean
  /** The call that waits for this code; undefined when none does. */
  waitingCall(code: string): string | undefined
  slots(): SlotRecord[]
  /** Runs, messages on both ways and slots that are not over. */
  open(): { runs: number; mails: number; inbox: number; slots: number }
  /** Tags that commands wrote, as often as they were written. */
  commandTags(): string[]
}

export function readRecords(dataDir: string): Records {
  const file = join(dataDir, 'yizhan.db')
  const query = (sql: string, ...values: (string | number)[]): Record<string, unknown>[] => {
    if (!existsSync(file)) return []
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    try {
      return database.prepare(sql).all(...values)
    } finally {
      database.close()
    }
  }
  const count = (sql: string, ...values: (string | number)[]): number =>
    Number(query(`SELECT count(*) AS n FROM ${sql}`, ...values)[0]?.['n'] ?? 0)
  return {
    heard: (words) => count('inbox WHERE payload LIKE ?', `%${words}%`) > 0,
    unknownSince: (chatId, since) =>
      count(
        `outbox WHERE state IN ('unknown', 'failed') AND created_at >= ? AND address LIKE ?`,
        since,
        `%${chatId}%`,
      ) > 0,
    waitingCall: (code) => {
      const [row] = query(`SELECT call FROM approvals WHERE code = ? AND status = 'pending'`, code)
      return row && String(row['call'])
    },
    slots: () =>
      query('SELECT schedule_id, slot, state, deliveries FROM schedule_slots').map((row) => ({
        schedule_id: String(row['schedule_id']),
        slot: String(row['slot']),
        state: String(row['state']),
        deliveries: JSON.parse(String(row['deliveries'])) as string[],
      })),
    open: () => ({
      runs: count('runs WHERE ended_at IS NULL'),
      mails: count(`outbox WHERE state IN ('pending', 'sending')`),
      inbox: count(`inbox WHERE state = 'waiting'`),
      slots: count('schedule_slots WHERE ended_at IS NULL'),
    }),
    commandTags: () => {
      const root = join(dataDir, 'workspaces')
      if (!existsSync(root)) return []
      return readdirSync(root)
        .map((name) => join(root, name, 'count.txt'))
        .filter((path) => existsSync(path))
        .flatMap((path) => readFileSync(path, 'utf8').split('\n').filter(Boolean))
    },
  }
}
