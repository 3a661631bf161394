import { type TemplateCard, WSClient, type WsFrame } from '@wecom/aibot-node-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOT, BOT_NAME, buttonCard, type Fixture, GROUP, PNG, SECRET, startCorp } from './fixture.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describe('wecom 38: the official SDK 1.0.7 against the simulator', () => {
  let sim: Fixture
  let client: WSClient

  const once = (event: string): Promise<WsFrame> =>
    new Promise((resolve) => {
      // The emitter's event names are a closed union; a test waits for any of them by name.
      ;(client as unknown as NodeJS.EventEmitter).once(event, resolve)
    })
  const create = (secret = SECRET): void => {
    client = new WSClient({ botId: BOT, secret, wsUrl: sim.wsUrl, logger: silent, maxAuthFailureAttempts: 0 })
  }
  const online = async (): Promise<void> => {
    create()
    const authenticated = once('authenticated')
    client.connect()
    await authenticated
  }
  const ask = (text: string) =>
    sim.control.people.send({ chat: GROUP, from: 'zhangsan', at: { bot: BOT }, type: 'text', text })
  const answers = () =>
    sim.control
      .transcript(GROUP)
      .filter((one) => one.sender.type === 'bot')
      .map((one) => one.content)

  beforeEach(async () => {
    sim = await startCorp()
  })
  afterEach(async () => {
    client.disconnect()
    await sim.stop()
  })

  it('authenticates, receives a mention and streams an answer', async () => {
    await online()
    const incoming = once('message.text')
    await ask('写诗')
    const frame = await incoming
    expect(frame.body.text.content).toBe(`@${BOT_NAME}\u2005写诗`)
    await client.replyStream(frame, 's1', '床前')
    await client.replyStream(frame, 's1', '床前明月光', true)
    expect(answers()).toEqual([{ type: 'stream', text: '床前明月光', finished: true, images: [] }])
  })

  it('reports a wrong secret', async () => {
    create('wrong')
    const failed = new Promise<Error>((resolve) => client.once('error', resolve))
    client.connect()
    expect((await failed).message).toContain('Authentication failed')
  })

  it('uploads a file in chunks, replies with it and pushes it', async () => {
    await online()
    const incoming = once('message.text')
    await ask('文件')
    const bytes = Buffer.alloc(1_300_000, '表')
    const { media_id: mediaId } = await client.uploadMedia(bytes, { type: 'file', filename: '明细表.csv' })
    await client.replyMedia(await incoming, 'file', mediaId)
    await client.sendMediaMessage(GROUP, 'file', mediaId)
    const shown = answers()
    expect(shown).toHaveLength(2)
    for (const content of shown) {
      expect(content).toMatchObject({ type: 'file', file: { name: '明细表.csv' } })
      expect(content.type === 'file' && Buffer.from(content.file.bytes).equals(bytes)).toBe(true)
    }
  })

  it('sends a card, gets the nested click and updates the card', async () => {
    await online()
    const incoming = once('message.text')
    await ask('重启')
    const card = buttonCard('t1') as TemplateCard
    await client.replyTemplateCard(await incoming, card)
    const event = once('event.template_card_event')
    const message = sim.control.transcript(GROUP).findLast((one) => one.content.type === 'card')
    const shown = sim.control.people.click({ messageId: message?.id ?? '', from: 'LiSi', key: 'approve' })
    const frame = await event
    expect(frame.body.event.template_card_event).toMatchObject({ event_key: 'approve', task_id: 't1' })
    await client.updateTemplateCard(frame, buttonCard('t1', '李四已允许') as TemplateCard)
    expect(await shown).toMatchObject({ outcome: 'updated', card: { title: '李四已允许' } })
  })

  it('downloads and decrypts an inbound file with its name', async () => {
    await online()
    const incoming = once('message.file')
    const chat = `dm:${BOT}:zhangsan`
    await sim.control.people.send({ chat, from: 'zhangsan', type: 'file', name: '发票 01.pdf', bytes: PNG })
    const { file } = (await incoming).body
    const { buffer, filename } = await client.downloadFile(file.url, file.aeskey)
    expect(filename).toBe('发票 01.pdf')
    expect(buffer.equals(PNG)).toBe(true)
  })

  it('welcomes, pushes markdown, and hears that it was kicked', async () => {
    await online()
    const entered = once('event.enter_chat')
    await sim.control.people.openChat(`dm:${BOT}:LiSi`)
    await client.replyWelcome(await entered, { msgtype: 'text', text: { content: '你好' } })
    expect(sim.control.transcript(`dm:${BOT}:LiSi`)[0]?.content).toEqual({ type: 'text', text: '你好' })
    const incoming = once('message.text')
    await ask('hi')
    await incoming
    await client.sendMessage(GROUP, { msgtype: 'markdown', markdown: { content: '**日报**' } })
    expect(answers()).toEqual([{ type: 'markdown', text: '**日报**' }])
    const kicked = once('event.disconnected_event')
    sim.control.faults.kick(BOT)
    await kicked
    expect(client.isConnected).toBe(false)
  })
})
