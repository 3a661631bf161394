import { describe, expect, it } from 'vitest'
import type { MembershipEvent } from '../../../src/protocol/inbound.ts'
import { chatState } from '../../../src/store/repositories/chats.ts'
import { findSession, setSessionClosed } from '../../../src/store/repositories/sessions.ts'
import { gatewayStages, group, messageEvent, session } from './stage.ts'

const { open, settle } = gatewayStages()

describe('T3: the bot comes and goes', () => {
  const change = (type: MembershipEvent['type']): MembershipEvent => ({
    type,
    address: group,
    eventId: `ev_${type}`,
    sentAt: 1,
  })

  it.each(['bot_removed', 'chat_disbanded'] as const)(
    '%s: the session is closed, its run and approvals end at once',
    async (type) => {
      const { gateway, store, woken, interrupted, cancelled } = await open()
      await gateway.receive(messageEvent({ mentionsBot: true }))
      await settle()
      await gateway.receive(change(type))
      await settle()
      expect(await findSession(store.db, session)).toMatchObject({ closed_reason: type, stop_requested: 1 })
      expect([interrupted, cancelled, woken.at(-1)]).toEqual([[session], [session], session])
    },
  )

  it('a bot that is added again works again, and says hello once', async () => {
    const { gateway, store, adapter } = await open()
    await gateway.receive(messageEvent({ mentionsBot: true }))
    await gateway.receive(change('bot_removed'))
    await settle()
    await gateway.receive(change('bot_added'))
    await gateway.receive(change('bot_added'))
    await settle()
    expect(await findSession(store.db, session)).toMatchObject({ closed_reason: null })
    expect(await chatState(store.db, 'ops', 'oc_1')).toBe('present')
    expect(adapter.said()).toEqual(['gateway.welcome_group'])
  })
})

describe('a chat that was thought gone', () => {
  it('is open again for whoever writes in it, also when nobody told that the bot is back', async () => {
    const { gateway, store, woken } = await open()
    await gateway.receive(messageEvent({ mentionsBot: true }))
    await settle()
    await setSessionClosed(store.db, session, 'feishu.bot_not_in_chat')
    await gateway.receive(messageEvent({ mentionsBot: true }))
    await settle()
    expect(await findSession(store.db, session)).toMatchObject({ closed_reason: null })
    expect(woken).toEqual([session, session])
  })

  it('does not begin anew with the stop of its old run', async () => {
    const { gateway, store } = await open()
    await gateway.receive(messageEvent({ mentionsBot: true }))
    await settle()
    const change = { address: group, eventId: 'ev', sentAt: 1 }
    await gateway.receive({ ...change, type: 'bot_removed' })
    await settle()
    await gateway.receive({ ...change, type: 'bot_added' })
    await settle()
    expect(await findSession(store.db, session)).toMatchObject({ closed_reason: null, stop_requested: 0 })
  })
})
