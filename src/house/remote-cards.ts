/** Cards of approvals that a remote call waits for: sent into the caller's chat, repainted when it is over. */
import { decidedCard } from '../approval/decided-card.ts'
import { pendingCard } from '../approval/pending-card.ts'
import { showSettled } from '../outbound/settled-card.ts'
import { type Address, chatKey } from '../protocol/address.ts'
import { prepareFolders } from '../session/workspace.ts'
import type { NewOutboxRow } from '../store/repositories/outbox.ts'
import type { ApprovalRow } from '../store/schema.ts'
import { snapshotText } from '../worker/snapshot.ts'
import type { RemoteParts } from './remote.ts'

type CardParts = Pick<
  RemoteParts,
  'store' | 'approvals' | 'outbox' | 'zone' | 'adapter' | 'text' | 'names' | 'clock' | 'random' | 'dataDir'
>

/** Sends the card of an approval; repeating it sends nothing more. */
export async function sendCard(parts: CardParts, approvalId: string): Promise<void> {
  const row = await parts.approvals.byId(approvalId)
  const adapter = row && parts.adapter(row.bot_id)
  if (!row || !adapter) return
  const names = await parts.names(JSON.parse(row.approvers) as string[])
  const { card, attachment } = pendingCard(row, parts.text(row.bot_id), parts.clock.now(), {
    codeBytes: adapter.capabilities.cardCodeBytes,
    names,
    zone: parts.zone,
    workspace: prepareFolders(parts.dataDir, row.session_id).workspace,
  })
  const base = {
    address: await addressOfRow(parts, row),
    sessionId: row.session_id,
    priority: 'high' as const,
    deadlineMs: Math.max(60_000, row.expires_at - parts.clock.now()),
  }
  const mails: NewOutboxRow[] = []
  if (attachment) {
    const file = await snapshotText(parts.dataDir, row.session_id, attachment, parts.random)
    const payload = { message: { type: 'file' as const, file } }
    mails.push({ ...base, key: `a-${row.id}`, ref: `attachment:${row.id}`, payload })
  }
  const payload = { message: { type: 'card' as const, card } }
  mails.push({ ...base, key: `c-${row.id}`, ref: `card:${row.id}`, payload })
  await parts.store.transaction(async (trx) => {
    for (const mail of mails) await parts.outbox.put(trx, mail)
  })
  parts.outbox.flush(chatKey(base.address))
  // Settled before its card was in the outbox: whoever settled it has found nothing to change.
  const now = await parts.approvals.byId(approvalId)
  if (now && now.status !== 'pending') await showDecision(parts, now)
}

/** The card says what became of it, also when it was decided by a typed word or by time. */
export async function showDecision(parts: CardParts, row: ApprovalRow): Promise<void> {
  const adapter = parts.adapter(row.bot_id)
  if (!adapter) return
  const card = decidedCard(row, parts.text(row.bot_id), {
    codeBytes: adapter.capabilities.cardCodeBytes,
    zone: parts.zone,
  })
  const { id } = row
  await showSettled(parts, adapter, { asked: `card:${id}`, key: `d-${id}`, ref: `decided:${id}`, card })
}

async function addressOfRow({ store }: CardParts, row: ApprovalRow): Promise<Address> {
  const session = await store.db
    .selectFrom('sessions')
    .select('chat_type')
    .where('id', '=', row.session_id)
    .executeTakeFirst()
  return { botId: row.bot_id, chatId: row.chat_id, chatType: session?.chat_type ?? 'group' }
}
