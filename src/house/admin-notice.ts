/** Sends a notice to the administrators: into their direct chats, or into a group in which they use the bot. */

import { createHash } from 'node:crypto'
import { NOTICE_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Outbox } from '../outbound/outbox.ts'
import { chatKey, sessionKey } from '../protocol/address.ts'
import type { Translate } from '../protocol/ports.ts'
import { lastGroupOf } from '../store/repositories/runs.ts'
import { directChatOf } from '../store/repositories/sessions.ts'
import type { HouseOptions } from './house.ts'

export interface AdminNotice {
  /** Unique per cause: repeating it says nothing more. */
  readonly key: string
  readonly markdown: (text: Translate) => string
  /** Where no administrator has a direct chat with a bot: say it in their group, or say nothing. */
  readonly group: boolean
}

export interface AdminNoticeDeps extends Pick<HouseOptions, 'store' | 'config'> {
  readonly bots: Pick<HouseOptions['bots'], 'text'>
  readonly outbox: Pick<Outbox, 'put' | 'flush'>
}

/** Resolves with the number of chats that are told. */
export async function tellAdmins(deps: AdminNoticeDeps, notice: AdminNotice): Promise<number> {
  const { store, config, outbox } = deps
  const bots = config.bots.map(({ id }) => id)
  const found = await Promise.all(config.access.admins.map((admin) => directChatOf(store.db, admin, bots)))
  const direct = found.filter((chat) => chat !== undefined)
  const chats =
    direct.length > 0 || !notice.group ? direct : await lastGroupOf(store.db, config.access.admins)
  for (const address of chats) {
    await outbox.put(store.db, {
      // Platforms take short keys only; a chat's own key can be long.
      key: `${notice.key}-${createHash('sha256').update(chatKey(address)).digest('hex').slice(0, 12)}`,
      address,
      sessionId: sessionKey(address),
      ref: 'notice',
      priority: 'low',
      deadlineMs: NOTICE_DEADLINE_MS,
      payload: { message: { type: 'markdown', markdown: notice.markdown(deps.bots.text(address.botId)) } },
    })
    outbox.flush(chatKey(address))
  }
  return chats.length
}
