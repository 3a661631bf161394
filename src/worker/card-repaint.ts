/** Replaces the card of an approval that a run asked for, once it is settled. */
import { type SettledDeps, showSettled } from '../outbound/settled-card.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { ApprovalRow } from '../store/schema.ts'
import type { WorkerDeps } from './deps.ts'

/** The card says what became of the approval; see {@link showSettled}. */
export function repaintCard(
  deps: SettledDeps & Pick<WorkerDeps, 'faces' | 'store'>,
  adapter: Adapter,
  row: ApprovalRow,
  runId: string,
): Promise<void> {
  const card = deps.faces.decided(row, adapter)
  return showSettled(deps, adapter, {
    asked: `card:${row.id}`,
    key: `d-${row.id}`,
    ref: `live:${runId}`,
    card,
  })
}
