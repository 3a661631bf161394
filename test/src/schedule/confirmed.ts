/** Schedules as people make them: proposed, and confirmed by a click on the card. */

import { isAppError } from '../../../src/protocol/errors.ts'
import type { ActionEvent } from '../../../src/protocol/inbound.ts'
import { settle } from '../../support/settle.ts'
import { type ADMIN, asker, CREATOR, GROUP, openRoom, type Room, type RoomOptions } from './fixture.ts'

export const STRANGER = 'feishu:ou_wang'
export const FIELDS = { cron: '0 9 * * *', prompt: '昨天的销售额' }
export const NINE = Date.parse('2026-12-01T08:59:00+08:00')

export const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )

/** The newest card that was sent, and a click on one of its buttons. */
export async function click(room: Room, button: 0 | 1, user: string, more: Partial<ActionEvent> = {}) {
  await settle()
  const card = room.sent.findLast(({ message }) => message.type === 'card')?.message
  if (card?.type !== 'card') throw new Error('no card was sent')
  return room.proposals.handleAction({
    type: 'action',
    address: GROUP,
    eventId: 'e',
    operator: { user: user as typeof ADMIN, name: '王芳', isBot: false, isExternal: false },
    value: card.card.buttons[button]?.value ?? {},
    form: {},
    sentAt: 0,
    ...more,
  })
}

/** A schedule that its creator has confirmed. */
export async function created(options: RoomOptions = {}): Promise<{ room: Room; id: string }> {
  const room = await openRoom({ start: NINE, ...options })
  await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
  await click(room, 0, CREATOR)
  const [row] = await room.store.db.selectFrom('schedules').selectAll().execute()
  await room.scheduler.start()
  return { room, id: row?.id ?? '' }
}
