/** Builds approvals and the outbox, which sends their cards. */
import { type Approvals, createApprovals } from '../approval/approvals.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { ApprovalRow } from '../store/schema.ts'
import { buildOutbox } from './outbox.ts'
import type { SharedParts } from './shared-parts.ts'

export interface Messaging {
  readonly approvals: Approvals
  readonly outbox: Outbox
}

export interface MessagingListeners {
  /** Told of every settled approval, once its session is awake. */
  readonly approvalSettled: (row: ApprovalRow) => void
  /** Told of every closed message of a session. */
  readonly mailClosed: (sessionId: string) => Promise<void>
}

export function buildMessaging(
  shared: SharedParts,
  { approvalSettled, mailClosed }: MessagingListeners,
): Messaging {
  const { options, audit, metrics, presence, access, queue } = shared
  const { config, store, clock, random, logger } = options
  const approvals = createApprovals({
    ...{ store, clock, random, logger, audit, access },
    limits: { expiresMs: config.approval.expires, maxPendingPerChat: config.approval.maxPendingPerChat },
    // The card is updated by the run that is woken here.
    onSettled: async (row) => {
      options.faults.at('approval_decided')
      await queue.wake(row.session_id)
      approvalSettled(row)
    },
  })
  const outbox = buildOutbox({ options, audit, metrics, presence, approvals, mailClosed })
  return { approvals, outbox: options.quiet ? { ...outbox, flush: () => {} } : outbox }
}
