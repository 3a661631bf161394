/** Short messages of the service itself, sent through the outbox. */

import { NOTICE_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Outbox } from '../outbound/outbox.ts'
import { type Address, chatKey, sessionKey } from '../protocol/address.ts'
import type { Db } from '../store/store.ts'

export interface Notice {
  /** Makes a repeated notice one notice; unique per cause. */
  readonly key: string
  readonly address: Address
  readonly markdown: string
  readonly replyTo?: string
}

/** Queues a notice in the caller's transaction. The caller flushes after the commit. */
export async function putNotice(outbox: Outbox, db: Db, notice: Notice): Promise<void> {
  const envelope = notice.replyTo === undefined ? {} : { replyTo: notice.replyTo }
  await outbox.put(db, {
    key: notice.key,
    address: notice.address,
    sessionId: sessionKey(notice.address),
    ref: 'notice',
    priority: 'high',
    deadlineMs: NOTICE_DEADLINE_MS,
    payload: { message: { type: 'markdown', markdown: notice.markdown, ...envelope } },
  })
}

/** Queues a notice and sends it. */
export async function notify(outbox: Outbox, db: Db, notice: Notice): Promise<void> {
  await putNotice(outbox, db, notice)
  outbox.flush(chatKey(notice.address))
}
