/** The outbox with what follows a closed message: numbers, the audit chain, a chat that is gone. */
import type { Approvals } from '../approval/approvals.ts'
import type { Audit } from '../observability/audit.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createOutbox, isChatGone, type Outbox } from '../outbound/outbox.ts'
import type { Presence } from '../store/presence.ts'
import { findRun, type LiveHandle, parseLive } from '../store/repositories/runs.ts'
import { setSessionClosed } from '../store/repositories/sessions.ts'
import { withFinalFaults, withSendFaults } from './faults.ts'
import type { HouseOptions } from './house.ts'
import { undeliveredNotice } from './undelivered.ts'

/** The outbox, with metrics, audit and notices for every closed message. */
export function buildOutbox(parts: {
  options: HouseOptions
  audit: Audit
  metrics: Metrics
  presence: Presence
  approvals: Pick<Approvals, 'byId'>
  /** Told of every closed message of a session. */
  mailClosed: (sessionId: string) => Promise<void>
}): Outbox {
  const { store, clock, random, logger, bots } = parts.options
  const outbox = createOutbox({
    presence: parts.presence,
    store,
    adapter: (botId) => withSendFaults(bots.adapter(botId), parts.options.faults),
    clock,
    random,
    logger,
    onClosed: async (row, delivery) => {
      const platform = bots.adapter(row.bot_id)?.platform ?? ''
      parts.metrics.delivery({ platform, state: delivery.state })
      const outcome =
        delivery.state === 'sent' ? { message: delivery.sent.messageId } : { code: delivery.error.code }
      await store.transaction((trx) =>
        parts.audit.append(trx, {
          actor: 'system',
          action: `delivery.${delivery.state}`,
          subject: row.key,
          detail: { ref: row.ref, chat: row.chat_key, ...outcome },
        }),
      )
      if (delivery.state === 'failed' && isChatGone(delivery.error) && row.session_id !== null) {
        await setSessionClosed(store.db, row.session_id, delivery.error.code)
      }
      const live = async (runId: string): Promise<LiveHandle | undefined> => {
        const run = await findRun(store.db, runId)
        return run && parseLive(run)
      }
      const notice = await undeliveredNotice(row, delivery, { ...parts, live, text: bots.text(row.bot_id) })
      if (notice) {
        await outbox.put(store.db, notice)
        outbox.flush(row.chat_key)
      }
      if (row.session_id !== null) await parts.mailClosed(row.session_id)
    },
  })
  return withFinalFaults(outbox, parts.options.faults)
}
