/** Finds which pending change a person means who answers by text instead of a click. */
import { sameUser } from '../policy/access.ts'
import type { Address } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import type { Translate } from '../protocol/ports.ts'
import type { Asker } from '../protocol/schedule.ts'
import { pendingProposals } from '../store/repositories/schedule-proposals.ts'
import type { ScheduleProposalRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { parseSpec } from './spec.ts'

/** The changes that a text answer can mean. A person's own come first: they may not have seen later ones of others. */
export async function meantBy(
  deps: ScheduleDeps,
  event: MessageEvent,
  scheduleId: string | undefined,
): Promise<readonly ScheduleProposalRow[]> {
  const here = (await pendingProposals(deps.store.db)).filter(
    (one) => isHere(one, event.address) && (scheduleId === undefined || one.schedule_id === scheduleId),
  )
  const valid = here.filter((one) => one.expires_at > deps.clock.now())
  // With expired ones only, the newest is decided, which says that it has expired.
  if (valid.length === 0) return here.slice(0, 1)
  const own = valid.filter((one) => sameUser((JSON.parse(one.asker) as Asker).user, event.sender.user))
  return own.length > 0 ? own : valid
}

/** Asks which change is meant, listing the ids to answer with. */
export function whichOf(rows: readonly ScheduleProposalRow[], text: Translate): string {
  const lines = rows.map(
    (row) =>
      `- \`${row.schedule_id}\` ${text(`schedule.card.title.${row.action}`)} · ${parseSpec(row.spec).name}`,
  )
  return text('schedule.which_pending', { count: rows.length, lines: lines.join('\n') })
}

/** Whether a change was proposed in this chat. */
export function isHere(row: ScheduleProposalRow, address: Address): boolean {
  const asker = JSON.parse(row.asker) as Asker
  return asker.address.botId === address.botId && asker.address.chatId === address.chatId
}
