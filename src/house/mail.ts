/** Questions and answers on their way out: approvals, and the outbox that carries their cards. */
import { type Approvals, createApprovals } from '../approval/approvals.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { ApprovalRow } from '../store/schema.ts'
import type { Ground } from './ground.ts'
import { buildOutbox } from './outbox.ts'

export interface Mail {
  readonly approvals: Approvals
  readonly outbox: Outbox
}

export interface MailListeners {
  /** Told of every settled approval, once its session is awake. */
  readonly approvalSettled: (row: ApprovalRow) => void
  /** Told of every closed message of a session. */
  readonly mailClosed: (sessionId: string) => Promise<void>
}

export function buildMail(ground: Ground, { approvalSettled, mailClosed }: MailListeners): Mail {
  const { options, audit, metrics, presence, access, queue } = ground
  const { config, store, clock, random, logger } = options
  const approvals = createApprovals({
    ...{ store, clock, random, logger, audit, access },
    limits: { expiresMs: config.approval.expires, maxPendingPerChat: config.approval.maxPendingPerChat },
    // The woken run repaints the card: it goes on there, or ends there.
    onSettled: async (row) => {
      options.faults.at('approval_decided')
      await queue.wake(row.session_id)
      approvalSettled(row)
    },
  })
  const outbox = buildOutbox({ options, audit, metrics, presence, approvals, mailClosed })
  return { approvals, outbox: options.quiet ? { ...outbox, flush: () => {} } : outbox }
}
