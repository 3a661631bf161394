import { afterEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import type { GatewayDeps } from '../../../src/gateway/deps.ts'
import { sessionKey } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { MembershipEvent } from '../../../src/protocol/inbound.ts'
import { chatState } from '../../../src/store/repositories/chats.ts'
import { findInbox, waitingCommands, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { findSession, setSessionClosed } from '../../../src/store/repositories/sessions.ts'
import { type GatewayStage, group, messageEvent, openGateway, person } from './stage.ts'

const session = sessionKey(group)
let stage: GatewayStage

async function open(change: Partial<GatewayDeps> = {}, dataDir?: string): Promise<GatewayStage> {
  stage = await openGateway(change, dataDir)
  return stage
}

afterEach(() => stage.close())

async function settle(): Promise<void> {
  await stage.gateway.drain()
  await stage.clock.advance(0)
}

describe('a message', () => {
  it('R1: is on disk before the platform is told, and wakes its session', async () => {
    const { gateway, store, woken } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_a', mentionsBot: true }))
    expect(await findInbox(store.db, 'ops:m:om_a')).toMatchObject({ state: 'waiting', kind: 'message' })
    await settle()
    expect(woken).toEqual([session])
  })

  it('R1: is not acknowledged when it could not be stored', async () => {
    const { gateway, store } = await open()
    await store.close()
    await expect(gateway.receive(messageEvent({ mentionsBot: true }))).rejects.toThrow()
    await open()
  })

  it('W5, R23: five copies at once are one message', async () => {
    const { gateway, store, woken, counted } = await open()
    const event = messageEvent({ mentionsBot: true, eventId: 'ev_1' })
    await Promise.all(
      Array.from({ length: 5 }, (_, copy) => gateway.receive({ ...event, eventId: `ev_${copy}` })),
    )
    await settle()
    expect(await waitingMessages(store.db, session)).toHaveLength(1)
    expect(woken).toEqual([session])
    expect(counted.filter((line) => line === 'message duplicate')).toHaveLength(4)
  })

  it('W5, R23: a copy after a restart is no new message', async () => {
    const first = await open()
    const event = messageEvent({ mentionsBot: true })
    await first.gateway.receive(event)
    await first.close()
    const second = await open({}, first.store.dataDir)
    expect(await second.gateway.receive({ ...event, eventId: 'another' })).toEqual({})
    await settle()
    expect(await waitingMessages(second.store.db, session)).toHaveLength(1)
    expect(second.woken).toEqual([])
  })

  it('that is not for us leaves no trace', async () => {
    const { gateway, store } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_x' }))
    expect(await findInbox(store.db, 'ops:m:om_x')).toBeUndefined()
  })

  it('of somebody who may not talk is answered once, and never read', async () => {
    const access = { mayTalk: () => false } as unknown as GatewayDeps['access']
    const { gateway, adapter, store } = await open({ access })
    const event = messageEvent({ mentionsBot: true })
    await gateway.receive(event)
    await gateway.receive(event)
    await settle()
    expect(adapter.said()).toEqual(['gateway.may_not_talk user=feishu:ou_1'])
    expect(await waitingMessages(store.db, session)).toEqual([])
  })

  it('with files begins to fetch them at once', async () => {
    const { gateway, prefetched } = await open()
    await gateway.receive(messageEvent({ mentionsBot: true, attachments: [{ kind: 'file', handle: {} }] }))
    await gateway.receive(messageEvent({ mentionsBot: true }))
    await settle()
    expect(prefetched).toHaveLength(1)
  })

  it('K5: a key in it is masked before it is stored, and the chat is warned once', async () => {
    const { gateway, store, adapter } = await open()
    const key = `sk-${'a1B2'.repeat(8)}`
    const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----'
    const event = messageEvent({
      mentionsBot: true,
      text: `用 ${key} 试试 ${pem}`,
      quoted: { messageId: 'om_q', text: `我的是 ${key}`, attachments: [] },
    })
    await gateway.receive(event)
    await gateway.receive(event)
    await settle()
    const [row] = await waitingMessages(store.db, session)
    expect(JSON.parse(row?.payload ?? '')).toMatchObject({
      text: '用 sk-a••••(35) 试试 ----••••(78)',
      quoted: { text: '我的是 sk-a••••(35)' },
    })
    const everything = JSON.stringify(
      await Promise.all(
        (['inbox', 'outbox', 'session_log'] as const).map((table) =>
          store.db.selectFrom(table).selectAll().execute(),
        ),
      ),
    )
    expect(everything).not.toContain(key)
    expect(everything).not.toContain('MIIEpAIBAAKCAQEA')
    expect(adapter.said()).toEqual(['gateway.key_masked'])
  })

  it('K5: ordinary words with names of keys in them stay as they are', async () => {
    const { gateway, store, adapter } = await open()
    const text = 'password 和 sk-ip 是什么？ task-12345 的 AKIA 呢'
    await gateway.receive(messageEvent({ mentionsBot: true, text }))
    await settle()
    expect(JSON.parse((await waitingMessages(store.db, session))[0]?.payload ?? '')).toMatchObject({ text })
    expect(adapter.said()).toEqual([])
  })

  it('R27: a bot that answers us gets twenty answers, then nothing is stored any more', async () => {
    const inbound = configSchema.parse({ inbound: { botChain: 100 } }).inbound
    const { gateway, store, counted } = await open({ inbound })
    const sender = person('feishu:ou_bot', { isBot: true })
    for (let count = 0; count < 30; count++)
      await gateway.receive(messageEvent({ mentionsBot: true, sender }))
    expect(await waitingMessages(store.db, session)).toHaveLength(20)
    expect(counted.filter((line) => line === 'message bot_loop')).toHaveLength(10)
  })

  it('R26: a storm of two thousand events in forty chats is stored whole, in order', async () => {
    const { gateway, store } = await open()
    const chats = Array.from({ length: 40 }, (_, index) => ({ ...group, chatId: `oc_${index}` }))
    const events = Array.from({ length: 2_000 }, (_, index) =>
      messageEvent({ mentionsBot: true, address: chats[index % 40] ?? group, text: String(index) }),
    )
    await Promise.all(events.map((event) => gateway.receive(event)))
    for (const [index, address] of chats.entries()) {
      const texts = (await waitingMessages(store.db, sessionKey(address))).map((row) =>
        Number(JSON.parse(row.payload).text),
      )
      expect(texts).toEqual(Array.from({ length: 50 }, (_, turn) => turn * 40 + index))
    }
  })
})

describe('a command', () => {
  it('is answered to its message, and closes its row with the answer', async () => {
    const { gateway, store, adapter } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_c', mentionsBot: true, text: '/help' }))
    await settle()
    expect(adapter.calls[0]?.message).toEqual({
      type: 'markdown',
      markdown: 'command.help',
      replyTo: 'om_c',
    })
    expect(await findInbox(store.db, 'ops:m:om_c')).toMatchObject({ state: 'taken' })
  })

  it('R2: that was acknowledged before a crash is carried out at the start, once', async () => {
    const text = (): never => {
      throw new Error('killed here')
    }
    const first = await open({ text })
    await first.gateway.receive(messageEvent({ mentionsBot: true, text: '/help' }))
    await first.gateway.drain()
    await first.close()
    const second = await open({}, first.store.dataDir)
    await second.gateway.recover()
    await second.gateway.recover()
    await settle()
    expect(second.adapter.said()).toEqual(['command.help'])
  })

  it('that breaks is answered, and keeps neither the others nor the start waiting', async () => {
    const tools = (): never => {
      throw new Error('broken')
    }
    const { gateway, adapter, store } = await open({ tools })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '/tools' }))
    await settle()
    expect(adapter.said()).toEqual(['run.fault id=c1'])
    expect(await waitingCommands(store.db)).toEqual([])
  })

  it('that the store refused is carried out later, once it takes it again', async () => {
    let full = true
    const tools = (): [] => {
      if (full) throw new AppError('store.full', 'the disk is full', { retryable: true })
      return []
    }
    const { gateway, adapter, clock } = await open({ tools })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '/tools' }))
    await settle()
    expect(adapter.said()).toEqual([])
    full = false
    await gateway.recover(60_000)
    expect(adapter.said()).toEqual([])
    await clock.advance(60_000)
    await gateway.recover(60_000)
    await settle()
    expect(adapter.said()).toEqual([expect.stringContaining('command.tools')])
  })

  it('in words decides an approval', async () => {
    const { gateway, adapter, woken } = await open()
    await gateway.receive(messageEvent({ mentionsBot: true, text: '允许 ABC234' }))
    await settle()
    expect(adapter.said()).toEqual(['decided'])
    expect(woken).toEqual([])
  })
})

describe('words that look like a decision and are none', () => {
  it('go on to the agent', async () => {
    const { gateway, adapter, store, woken } = await open({ decideByText: async () => undefined })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '允许的话，不要动 SKU234 那一行' }))
    await settle()
    expect(adapter.said()).toEqual([])
    expect(await waitingMessages(store.db, session)).toHaveLength(1)
    expect(woken).toEqual([session])
  })

  it('are still the command that they are', async () => {
    const decisionText = (): boolean => true
    const { gateway, adapter } = await open({ decisionText, decideByText: async () => undefined })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '/help SKU234' }))
    await settle()
    expect(adapter.said()).toEqual(['command.help'])
  })
})

describe('a click', () => {
  it('is answered by what decides it, and never stored', async () => {
    const { gateway, store } = await open()
    const receipt = await gateway.receive({
      type: 'action',
      address: group,
      eventId: 'ev_1',
      operator: person('feishu:ou_1'),
      value: {},
      form: {},
      sentAt: 1,
    })
    expect(receipt).toEqual({ toast: { tone: 'info', text: 'seen' } })
    expect(await store.db.selectFrom('inbox').selectAll().execute()).toEqual([])
  })
})

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

describe('a recalled message', () => {
  const recall = (messageId: string) =>
    ({ type: 'recalled', address: group, eventId: 'ev_r', messageId, sentAt: 1 }) as const

  it('that nobody has read is forgotten', async () => {
    const { gateway, store, interrupted } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_r', mentionsBot: true }))
    await gateway.receive(recall('om_r'))
    await settle()
    expect(await findInbox(store.db, 'ops:m:om_r')).toMatchObject({ state: 'dropped' })
    expect(interrupted).toEqual([])
  })

  it('R24: that is being answered stops the run that answers it, and no other', async () => {
    const { gateway, store, interrupted } = await open()
    for (const messageId of ['om_1st', 'om_2nd'])
      await gateway.receive(messageEvent({ messageId, mentionsBot: true }))
    await settle()
    await store.db.updateTable('inbox').set({ state: 'taken' }).execute()
    const run = {
      id: 'r1',
      sessionId: session,
      requester: 'feishu:ou_1',
      replyTo: 'om_1st',
      model: 'main',
    }
    await insertRun(store.db, run, 1)
    await gateway.receive(recall('om_2nd'))
    await settle()
    expect(interrupted).toEqual([])
    await gateway.receive(recall('om_1st'))
    await settle()
    expect(interrupted).toEqual([session])
  })
})
