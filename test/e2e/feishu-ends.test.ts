import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: FeishuHouse
let endpoint: Endpoint
afterEach(async () => {
  await house?.stop()
  await endpoint?.stop()
})

/** A run that is in the middle of its answer. */
async function midRun(chatId?: string): Promise<string> {
  endpoint = await startEndpoint('openai', () => ({ text: endless() }))
  house = await openFeishuHouse({ yaml: endpoint.yaml })
  const options = chatId === undefined ? {} : { chatId: house.direct(house.people.member) }
  const messageId = await house.say('写一篇长文章', options)
  await house.until(
    () => house.shown(options.chatId).find((message) => message.text.includes('第一段')),
    'the first words',
  )
  return messageId
}

async function endedRun(): Promise<string> {
  for (;;) {
    const [run] = await house.runs()
    if (run && run.ended_at !== null) return run.state
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Every row of the outbox is closed: nothing is tried for ever. */
async function nothingQueued(): Promise<void> {
  for (;;) {
    const open = await house.app.store.db
      .selectFrom('outbox')
      .select('id')
      .where('state', 'in', ['pending', 'sending'])
      .execute()
    if (open.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('a chat that ends while a run is in it', () => {
  it('feishu 29: the bot is removed: the run stops, nothing more is sent there', async () => {
    await midRun()
    house.control.removeBot(house.chatId, house.bot.appId)
    expect(await endedRun()).toBe('stopped')
    await nothingQueued()
    const sent = house.control.requests('POST /open-apis/im/v1/messages').length
    await house.control.idle()
    expect(house.control.requests('POST /open-apis/im/v1/messages')).toHaveLength(sent)
    house.control.addBot(house.chatId, house.bot.appId)
    await house.say('/status')
    await house.until(() => house.shown().find((message) => message.text.includes('空闲')), 'the bot is back')
  })

  it('feishu 29: the chat is dissolved: the run stops cleanly', async () => {
    await midRun()
    house.control.disband(house.chatId)
    expect(await endedRun()).toBe('stopped')
    await nothingQueued()
  })

  it('feishu 29: the message is recalled: its run stops and the answer says so', async () => {
    const messageId = await midRun()
    await house.recall(messageId, house.people.member)
    expect(await endedRun()).toBe('stopped')
    const final = await house.until(() => house.finals()[0], 'the end')
    expect(final.text).toContain('已停止')
    await nothingQueued()
  })

  it('feishu 29: a person outside the availability range: the run ends, the failed delivery is logged once', async () => {
    await midRun('direct')
    house.control.updateApp(house.bot.appId, { availability: [] })
    await house.say('/stop', { chatId: house.direct(house.people.member) })
    await endedRun()
    await nothingQueued()
    const failures = house.lines.filter(({ message }) => message === 'a message could not be delivered')
    expect(failures.length).toBeGreaterThan(0)
    for (const { fields } of failures) expect(String(fields['error'])).toContain('230013')
  })
})

async function* endless(): AsyncIterable<string> {
  yield '第一段。'
  await new Promise(() => {})
}
