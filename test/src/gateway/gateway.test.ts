import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import type { GatewayDeps } from '../../../src/gateway/deps.ts'
import { sessionKey } from '../../../src/protocol/address.ts'
import { findInbox, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { gatewayStages, group, messageEvent, person, session } from './stage.ts'

const { open, settle } = gatewayStages()

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
