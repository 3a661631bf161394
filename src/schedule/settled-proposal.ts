/** Settles changes that nobody confirmed in time, and repaints cards where no click brings the new one along. */
import { putSettled } from '../outbound/settled-card.ts'
import { chatKey } from '../protocol/address.ts'
import type { Asker } from '../protocol/schedule.ts'
import { decideProposal, dueProposals } from '../store/repositories/schedule-proposals.ts'
import type { ScheduleProposalRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import type { ScheduleDeps } from './deps.ts'
import { proposalCard } from './proposal-card.ts'

/** `ref` of the outbox row with the card of a change. */
export function cardRef(id: string): string {
  return `schedule-card:${id}`
}

/** Writes the new card in the transaction that settles the change; call `flush` after the commit. */
export interface Repaint {
  put(db: Db): Promise<void>
  flush(): void
}

/**
 * The new card of a change that is settled by a word or by time.
 * @param row as it will be: painted before the transaction, because looking up names needs the same connection
 */
export async function repaintOf(deps: ScheduleDeps, row: ScheduleProposalRow): Promise<Repaint> {
  const { address } = JSON.parse(row.asker) as Asker
  const adapter = deps.adapter(address.botId)
  const card = await proposalCard(deps, row)
  const settled = { asked: cardRef(row.id), key: `sd-${row.id}`, ref: `schedule-settled:${row.id}`, card }
  return {
    put: async (db) => {
      if (adapter) await putSettled(db, deps, adapter, settled)
    },
    flush: () => deps.outbox.flush(chatKey(address)),
  }
}

/** Settles what has expired, each with its card. One that cannot be settled does not keep the others. */
export async function expireProposals(deps: ScheduleDeps): Promise<void> {
  for (const row of await dueProposals(deps.store.db, deps.clock.now()))
    await expire(deps, row).catch((error: unknown) =>
      deps.logger.error(
        { proposal: row.id, error },
        'a change that expired could not be settled; it is tried again',
      ),
    )
}

async function expire(deps: ScheduleDeps, row: ScheduleProposalRow): Promise<void> {
  const mark = {
    status: 'expired',
    decided_by: null,
    decided_name: null,
    decided_at: deps.clock.now(),
  } as const
  const repaint = await repaintOf(deps, { ...row, ...mark })
  await deps.store.transaction(async (trx) => {
    if (!(await decideProposal(trx, row.id, mark))) return
    await repaint.put(trx)
    await deps.audit.append(trx, {
      actor: 'system',
      action: `schedule.${row.action}.expired`,
      subject: row.schedule_id,
      detail: { proposal: row.id },
    })
  })
  repaint.flush()
}
