import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyBytes, unseal } from '../../../../adapters/wecom/simulator/cipher.ts'
import { directChat } from '../../../../adapters/wecom/simulator/control.ts'
import { type CallbackServer, startCallbackServer } from './callback-server.ts'
import {
  AES_KEY,
  api,
  buttonCard,
  cardBody,
  connect,
  type Fixture,
  GROUP,
  PNG,
  startCorp,
  streamBody,
  TOKEN,
} from './fixture.ts'

const URL_BOT = 'aibqUrl'
const NAME = '报表 助手'

describe('an AI bot behind a callback URL', () => {
  let sim: Fixture
  let server: CallbackServer
  const ask = (text: string, from = 'zhangsan') =>
    sim.control.people.send({ chat: GROUP, from, at: { bot: URL_BOT }, type: 'text', text })
  const calls = (label: string) =>
    sim.control
      .journal()
      .filter((entry) => entry.channel === 'http-out' && entry.name === label && 'answer' in entry)
  const answers = () =>
    sim.control
      .transcript(GROUP)
      .filter((one) => one.sender.type === 'bot')
      .map((one) => one.content)
  const plain = (index: number) => JSON.parse(server.received[index]?.plain ?? '{}')

  beforeEach(async () => {
    sim = await startCorp()
    server = await startCallbackServer()
    sim.control.corp.bot({
      botId: URL_BOT,
      name: NAME,
      callback: { url: server.url, token: TOKEN, aesKey: AES_KEY },
    })
    sim.control.corp.group({ chatId: GROUP, name: '运维群', members: ['zhangsan', 'LiSi'], bots: [URL_BOT] })
  })
  afterEach(async () => {
    await sim.stop()
    await server.stop()
  })

  it('wecom 31: the GET check wants the bare decrypted text', async () => {
    server.answer((request) => ({ type: 'bare', text: request.plain }))
    expect(await sim.control.corp.verifyCallback({ bot: URL_BOT })).toBe(true)
    server.answer((request) => ({ type: 'bare', text: `"${request.plain}"` }))
    expect(await sim.control.corp.verifyCallback({ bot: URL_BOT })).toBe(false)
    server.answer((request) => ({ type: 'bare', text: `${request.plain}\n` }))
    expect(await sim.control.corp.verifyCallback({ bot: URL_BOT })).toBe(false)
    expect(server.received[0]).toMatchObject({ method: 'GET', receiveId: '', signatureFits: true })
  })

  it('posts signed and encrypted JSON with an empty receiveid and places a finished stream', async () => {
    server.answer(() => ({ type: 'json', value: streamBody('s1', '在的', true) }))
    await ask('在吗')
    await sim.control.until(() => answers().length === 1)
    expect(server.received[0]).toMatchObject({ method: 'POST', receiveId: '', signatureFits: true })
    expect(plain(0)).toMatchObject({
      aibotid: URL_BOT,
      chatid: GROUP,
      msgtype: 'text',
      text: { content: `@${NAME}\u2005在吗` },
    })
    expect(answers()).toEqual([{ type: 'stream', text: '在的', finished: true, images: [] }])
  })

  it('wecom 33: the JSON can be labelled text/xml', async () => {
    sim.control.settings.callbackContentType = 'text/xml'
    await ask('在吗')
    await sim.control.until(() => calls('message').length === 1)
    expect(server.received[0]?.contentType).toBe('text/xml')
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ encrypt: expect.any(String) })
  })

  it('wecom 32: a silent server gets the same msgid three times, 5 seconds apart, and no fourth', async () => {
    server.answer(() => ({ type: 'silence' }))
    await ask('慢')
    for (let attempt = 1; attempt <= 3; attempt++) {
      await server.count(attempt)
      await sim.clock.advance(4999)
      expect(calls('message')).toHaveLength(attempt - 1)
      await sim.clock.advance(1)
      await sim.control.until(() => calls('message').length === attempt)
    }
    await sim.clock.advance(60_000)
    expect(server.received).toHaveLength(3)
    expect(new Set([0, 1, 2].map((index) => plain(index).msgid)).size).toBe(1)
  })

  it('wecom 32: a status other than 200 is repeated too', async () => {
    server.answer(() => ({ type: server.received.length < 3 ? 'status' : 'empty', status: 500 }))
    await ask('坏')
    await sim.control.until(() => calls('message').length === 3)
    expect(calls('message').map((entry) => entry.errcode)).toEqual([500, 500, 0])
  })

  it('polls an unfinished stream every second until it is finished', async () => {
    const texts = ['一', '一二', '一二三']
    server.answer(() => {
      const index = server.received.length - 1
      return { type: 'json', value: streamBody('s1', texts[index] ?? '', index === 2) }
    })
    await ask('数')
    await sim.control.until(() => answers().length === 1)
    await sim.clock.advance(1000)
    await sim.control.until(() => calls('stream').length === 1)
    expect(plain(1)).toMatchObject({
      msgtype: 'stream',
      stream: { id: 's1' },
      chatid: GROUP,
      from: { userid: 'zhangsan' },
    })
    await sim.clock.advance(1000)
    await sim.control.until(() => calls('stream').length === 2)
    await sim.control.until(() => JSON.stringify(answers()).includes('一二三'))
    await sim.clock.advance(10_000)
    expect(server.received).toHaveLength(3)
    expect(answers()).toEqual([{ type: 'stream', text: '一二三', finished: true, images: [] }])
  })

  it('takes images and a card only with the answer that allows them', async () => {
    const md5 = 'x'
    const stream = {
      id: 's1',
      finish: true,
      content: '图',
      msg_item: [{ msgtype: 'image', image: { base64: PNG.toString('base64'), md5 } }],
    }
    const value = { msgtype: 'stream_with_template_card', stream, template_card: buttonCard('t1') }
    server.answer(() => ({ type: 'json', value }))
    await ask('画图')
    await sim.control.until(() => answers().length === 2)
    expect(answers()).toMatchObject([
      { type: 'stream', images: [PNG] },
      { type: 'card', card: { taskId: 't1' } },
    ])
    const alone = {
      msgtype: 'stream_with_template_card',
      stream: { id: 's2', finish: true, content: '无卡' },
    }
    server.answer(() => ({ type: 'json', value: alone }))
    await ask('不要卡片')
    await sim.control.until(() => answers().length === 3)
    server.answer(() => ({ type: 'json', value: { msgtype: 'markdown', markdown: { content: 'x' } } }))
    await ask('再来')
    await sim.control.until(() => sim.control.journal().some((entry) => entry.answer === 'refused'))
    expect(answers()).toHaveLength(3)
  })

  it('wecom 31: a passive answer with a foreign nonce is not taken', async () => {
    server.answer(() => ({ type: 'json', value: streamBody('s1', 'x', true), nonce: 'other' }))
    await ask('在吗')
    await sim.control.until(() => sim.control.journal().some((entry) => entry.answer === 'refused'))
    expect(answers()).toEqual([])
  })

  it('refuses a fourth open question of one person', async () => {
    server.answer(() => ({ type: 'silence' }))
    for (const text of ['一', '二', '三']) await ask(text)
    await expect(ask('四')).rejects.toMatchObject({ code: 'simulator.refused' })
    await ask('别人可以', 'LiSi')
  })

  it('a card event comes once, and its passive answer changes the card', async () => {
    server.answer(() => ({ type: 'json', value: cardBody(buttonCard('t1')) }))
    await ask('重启')
    await sim.control.until(() => answers().length === 1)
    const id = sim.control.transcript(GROUP).at(-1)?.id ?? ''
    const value = { response_type: 'update_template_card', template_card: buttonCard('t1', '已允许') }
    server.answer(() => ({ type: 'json', value }))
    const click = () => sim.control.people.click({ messageId: id, from: 'LiSi', key: 'approve' })
    expect(await click()).toMatchObject({ outcome: 'updated', card: { title: '已允许' } })
    expect(plain(1).event.template_card_event.task_id).toBe('t1')
    expect(plain(1).response_url).toContain('response_code=')
    server.answer(() => ({ type: 'silence' }))
    const late = click()
    await server.count(3)
    await sim.clock.advance(5000)
    expect((await late).outcome).toBe('unanswered')
    await sim.clock.advance(60_000)
    expect(server.received).toHaveLength(3)
  })

  it('wecom 36: response_url takes one message within an hour, never text, and wants a msgtype', async () => {
    await ask('长任务')
    await server.count(1)
    const path = () => new URL(plain(server.received.length - 1).response_url).search
    const respond = (body: object) => api(sim, `aibot/response${path()}`, body)
    const markdown = { msgtype: 'markdown', markdown: { content: '做好了' } }
    expect((await respond({ markdown: markdown.markdown })).errcode).toBe(40008)
    expect((await respond({ msgtype: 'text', text: { content: 'x' } })).errcode).toBe(40008)
    await sim.clock.advance(3_599_999)
    expect((await respond(markdown)).errcode).toBe(0)
    expect((await respond(markdown)).errcode).not.toBe(0)
    expect(answers()).toEqual([{ type: 'markdown', text: '做好了' }])
    await ask('再来')
    await server.count(2)
    await sim.clock.advance(3_600_001)
    expect((await respond(markdown)).errcode).not.toBe(0)
  })

  it('welcomes on enter_chat and encrypts media with the EncodingAESKey', async () => {
    const chat = directChat(URL_BOT, 'zhangsan')
    server.answer(() => ({ type: 'json', value: { msgtype: 'text', text: { content: '你好' } } }))
    await sim.control.people.openChat(chat)
    await sim.control.until(() => sim.control.transcript(chat).length === 1)
    expect(plain(0)).toMatchObject({ chattype: 'single', event: { eventtype: 'enter_chat' } })
    server.answer(() => ({ type: 'empty' }))
    await sim.control.people.send({ chat, from: 'zhangsan', type: 'image', name: 'a.png', bytes: PNG })
    await server.count(2)
    const { image } = plain(1)
    expect(image).not.toHaveProperty('aeskey')
    const sealed = await (await fetch(image.url)).arrayBuffer()
    expect(unseal(Buffer.from(sealed), keyBytes(AES_KEY)).equals(PNG)).toBe(true)
  })

  it('cannot also open a long connection', async () => {
    const client = await connect(sim.wsUrl)
    expect((await client.call('aibot_subscribe', { bot_id: URL_BOT, secret: '' })).errcode).not.toBe(0)
    const both = {
      botId: 'b',
      name: 'b',
      secret: 's',
      callback: { url: server.url, token: TOKEN, aesKey: AES_KEY },
    }
    expect(() => sim.control.corp.bot(both)).toThrow('never both')
  })
})
