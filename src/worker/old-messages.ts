/** Rejects messages that waited too long, after an outage or a restored backup: they are answered, not run. */
import { NOTICE_DEADLINE_MS } from '../outbound/deadlines.ts'
import { chatKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import { closeInbox } from '../store/repositories/inbox.ts'
import type { InboxRow } from '../store/schema.ts'
import type { WorkerDeps } from './deps.ts'

/** Messages older than this are not run: acting on them so late would surprise their senders. Milliseconds. */
const OLDEST_MS = 24 * 3_600_000

/** Closes such messages and notifies their senders; true when there were any. Schedules and background jobs have limits of their own. */
export async function dropOldMessages(deps: WorkerDeps, waiting: readonly InboxRow[]): Promise<boolean> {
  const now = deps.clock.now()
  const old = waiting
    .filter((row) => now - row.received_at > OLDEST_MS)
    .map((row) => ({ row, event: JSON.parse(row.payload) as MessageEvent }))
    .filter(({ event }) => event.replyTo !== '' && !event.scheduled)
  for (const { row, event } of old) {
    const { address, replyTo } = event
    const hours = Math.floor((now - row.received_at) / 3_600_000)
    const markdown = deps.text(address.botId)('gateway.stale', { hours })
    await deps.store.transaction(async (trx) => {
      if ((await closeInbox(trx, [row.id], 'dropped')) === 0) return
      await deps.outbox.put(trx, {
        ...{ key: `o-${address.botId}-${row.id}`, address, sessionId: row.session_id, ref: 'notice' },
        ...{ priority: 'high', deadlineMs: NOTICE_DEADLINE_MS },
        payload: { message: { type: 'markdown', markdown, replyTo } },
      })
    })
    deps.outbox.flush(chatKey(address))
  }
  return old.length > 0
}
