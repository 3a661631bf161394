import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findInbox } from '../../../src/store/repositories/inbox.ts'
import { messageEvent, openGateway } from './stage.ts'

/** What may reach us about three messages of a chat, in any order and more than once. */
const deed = fc.record({ what: fc.constantFrom('message', 'message', 'copy', 'recall'), which: fc.nat(2) })

it('R24: two thousand shuffles of messages, copies and recalls: each message is one row, and a recalled one is no work', {
  timeout: 120_000,
}, async () => {
  const { gateway, store, clock, close } = await openGateway()
  let chats = 0
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 9 }), async (deeds) => {
      const address = { botId: 'ops', chatId: `oc_s${++chats}`, chatType: 'group' } as const
      const id = (which: number): string => `om_${address.chatId}_${which}`
      const state = new Map<number, 'waiting' | 'dropped'>()
      for (const [step, { what, which }] of deeds.entries()) {
        const eventId = `ev_${address.chatId}_${step}`
        if (what === 'recall') {
          await gateway.receive({
            type: 'recalled',
            address,
            eventId,
            messageId: id(which),
            sentAt: clock.now(),
          })
          if (state.has(which)) state.set(which, 'dropped')
        } else {
          await gateway.receive(messageEvent({ address, messageId: id(which), eventId, mentionsBot: true }))
          if (!state.has(which)) state.set(which, 'waiting')
        }
        await gateway.drain()
      }
      for (const which of [0, 1, 2]) {
        const row = await findInbox(store.db, `ops:m:${id(which)}`)
        expect(row?.state).toBe(state.get(which))
      }
      const rows = await store.db
        .selectFrom('inbox')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('session_id', 'like', `%${address.chatId}/`)
        .executeTakeFirst()
      expect(Number(rows?.count)).toBe(state.size)
    }),
    { numRuns: 2_000, seed: 20_261_130 },
  )
  await close()
})
