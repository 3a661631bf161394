import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, openStage, type Stage } from './stage.ts'

describe('create, reply and forward', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage()
  })
  afterEach(() => stage.close())

  const text = (value = 'hi'): { text: string } => ({ text: value })
  const codeOfSend = async (type: string, content: unknown, extra = {}): Promise<number> =>
    (await stage.send(stage.group, type, content, extra)).code
  const sendTo = async (type: string, id: string): Promise<number> => {
    const body = { receive_id: id, msg_type: 'text', content: '{"text":"hi"}' }
    return (await stage.call('POST', `/im/v1/messages?receive_id_type=${type}`, body)).code
  }
  const freeze = (): void => stage.control.configure({ rateLimits: false })

  it('sends through the SDK and shows up in the transcript with names instead of ids', async () => {
    const openId = stage.control.openId(stage.ann, stage.app.appId)
    const sent = await stage.client().im.v1.message.create({
      params: { receive_id_type: 'chat_id' },
      data: {
        receive_id: stage.group,
        msg_type: 'text',
        content: JSON.stringify(text(`<at user_id="${openId}">x</at> done`)),
      },
    })
    expect(sent).toMatchObject({
      code: 0,
      data: {
        chat_id: stage.group,
        msg_type: 'text',
        sender: { id: stage.app.appId, sender_type: 'app' },
        body: { content: '{"text":"@_user_1 done"}' },
      },
    })
    expect(stage.control.transcript(stage.group)).toMatchObject([
      { type: 'text', text: '@Ann done', sender: { kind: 'bot', name: 'Agent' } },
    ])
  })

  it('makes the direct chat when an open_id is the receiver, and reports ids that cannot be', async () => {
    const other = stage.control.createApp({ name: 'Other' })
    expect(await sendTo('open_id', stage.control.openId(stage.ann, stage.app.appId))).toBe(0)
    expect(await sendTo('email', 'ann@example.com')).toBe(0)
    expect(await sendTo('open_id', stage.control.openId(stage.ann, other.appId))).toBe(99992361)
    expect(await sendTo('open_id', 'ou_nobody')).toBe(99992351)
    expect(await sendTo('chat_id', 'oc_nowhere')).toBe(230034)
    expect(await sendTo('user_id', 'nobody')).toBe(230034)
    expect(await sendTo('telephone', '1')).toBe(99992402)
    expect(stage.control.chats().filter((chat) => chat.mode === 'p2p')).toHaveLength(1)
  })

  it('refuses chats and people the bot cannot reach, each by its code', async () => {
    freeze()
    const stranger = stage.control.createUser({ name: 'Out', tenantKey: stage.control.createTenant('other') })
    const gone = stage.control.createUser({ name: 'Gone', resigned: true })
    expect(await sendTo('union_id', stranger.unionId)).toBe(230038)
    expect(await sendTo('user_id', gone.userId)).toBe(230029)
    stage.control.updateApp(stage.app.appId, { availability: [stage.bo] })
    expect(await sendTo('user_id', stage.ann)).toBe(230013)
    stage.control.updateChat(stage.group, { muted: true })
    expect(await codeOfSend('text', text())).toBe(230018)
    stage.control.removeBot(stage.group, stage.app.appId)
    expect(await codeOfSend('text', text())).toBe(230002)
    stage.control.updateApp(stage.app.appId, { bot: false })
    expect(await codeOfSend('text', text())).toBe(230006)
    stage.control.disband(stage.group)
    expect(await codeOfSend('text', text())).toBe(232009)
  })

  it('checks content: JSON, type, text, links, md, locale wrapper', async () => {
    freeze()
    const post = (content: unknown): object => ({ zh_cn: { title: 't', content } })
    const broken = { receive_id: stage.group, msg_type: 'text', content: 'hi' }
    expect((await stage.call('POST', '/im/v1/messages?receive_id_type=chat_id', broken)).code).toBe(230001)
    expect(await codeOfSend('song', text())).toBe(230001)
    expect(await codeOfSend('text', text(''))).toBe(230001)
    expect(await codeOfSend('post', { title: 't', content: [[]] })).toBe(230001)
    expect(await codeOfSend('post', post([[{ tag: 'a', href: 'ftp://x', text: 'x' }]]))).toBe(230001)
    expect(
      await codeOfSend(
        'post',
        post([
          [
            { tag: 'md', text: 'a' },
            { tag: 'text', text: 'b' },
          ],
        ]),
      ),
    ).toBe(230001)
    expect(await codeOfSend('post', post([[{ tag: 'md', text: '**a**' }]]))).toBe(0)
    expect(await codeOfSend('image', { image_key: 'img_none' })).toBe(230001)
    expect(await codeOfSend('share_chat', { chat_id: 'oc_none' })).toBe(230001)
    const noType = await stage.call('POST', '/im/v1/messages?receive_id_type=chat_id', {
      receive_id: stage.group,
      content: '{}',
    })
    expect([noType.code, noType.body['error']]).toMatchObject([
      99992402,
      { field_violations: [{ field: 'msg_type' }] },
    ])
  })

  it('counts bytes, not characters: 150 KB of text body, 30 KB of post and card', async () => {
    freeze()
    expect(await codeOfSend('text', text('字'.repeat(50_000)))).toBe(0)
    expect(await codeOfSend('text', text('字'.repeat(52_000)))).toBe(230025)
    const post = (chars: number): object => ({
      zh_cn: { title: '', content: [[{ tag: 'text', text: '字'.repeat(chars) }]] },
    })
    expect(await codeOfSend('post', post(10_000))).toBe(0)
    expect(await codeOfSend('post', post(10_300))).toBe(230025)
    const card = (chars: number): object => ({
      schema: '2.0',
      body: { elements: [{ tag: 'markdown', content: '字'.repeat(chars) }] },
    })
    expect(await codeOfSend('interactive', card(10_000))).toBe(0)
    expect(await codeOfSend('interactive', card(10_300))).toBe(230025)
  })

  it('answers a repeated uuid with the first message for an hour, or refuses as configured', async () => {
    const first = await stage.send(stage.group, 'text', text('a'), { uuid: 'u1' })
    const again = await stage.send(stage.group, 'text', text('b'), { uuid: 'u1' })
    expect(again.data['message_id']).toBe(first.data['message_id'])
    expect(stage.control.transcript(stage.group)).toHaveLength(1)
    stage.control.configure({ repeatedUuid: 'refused' })
    expect(await codeOfSend('text', text(), { uuid: 'u1' })).toBe(230049)
    expect(await codeOfSend('text', text(), { uuid: 'u'.repeat(51) })).toBe(99992402)
    await stage.clock.advance(3_600_000)
    expect(await codeOfSend('text', text('c'), { uuid: 'u1' })).toBe(0)
  })

  it('allows five messages a second to one chat, all bots together', async () => {
    const other = stage.control.createApp({ name: 'Other' })
    stage.control.addBot(stage.group, other.appId)
    for (let n = 0; n < 3; n++) expect(await codeOfSend('text', text())).toBe(0)
    for (let n = 0; n < 2; n++)
      expect((await stage.send(stage.group, 'text', text(), {}, other)).code).toBe(0)
    const refused = await stage.send(stage.group, 'text', text())
    expect([refused.status, refused.code]).toEqual([400, 230020])
    await stage.clock.advance(1001)
    expect(await codeOfSend('text', text())).toBe(0)
  })

  it('can answer business errors with HTTP 200, which the SDK resolves', async () => {
    stage.control.configure({ businessErrorStatus: 200 })
    const call = stage.client().im.v1.message.reply({
      path: { message_id: 'om_none' },
      data: { msg_type: 'text', content: '{"text":"x"}' },
    })
    await expect(call).resolves.toMatchObject({ code: 231003 })
  })

  it('keeps replies in their place: quote, topic, topic group', async () => {
    const asked = stage.control.say(stage.group, stage.ann, '@[Agent] why')
    const reply = (id: string, inTopic: boolean): Promise<{ code: number; data: Record<string, unknown> }> =>
      stage.call('POST', `/im/v1/messages/${id}/reply`, {
        msg_type: 'text',
        content: '{"text":"because"}',
        reply_in_thread: inTopic,
      })
    const quoted = await reply(asked, false)
    expect([quoted.data['root_id'], quoted.data['parent_id'], quoted.data['thread_id']]).toEqual([
      asked,
      asked,
      undefined,
    ])
    const opened = await reply(asked, true)
    const thread = opened.data['thread_id']
    expect(thread).toMatch(/^omt_/)
    const inside = await reply(String(opened.data['message_id']), false)
    expect(inside.data['thread_id']).toBe(thread)
    stage.control.updateChat(stage.group, { topicsAllowed: false })
    expect((await reply(asked, true)).code).toBe(230071)
    const topics = stage.control.createChat({ members: [stage.ann], bots: [stage.app.appId], mode: 'topic' })
    const [one, two] = [stage.control.say(topics, stage.ann, 'a'), stage.control.say(topics, stage.ann, 'b')]
    expect(stage.control.message(one)?.threadId).not.toBe(stage.control.message(two)?.threadId)
  })

  it('refuses reply targets that are topics, unknown, recalled or bundles', async () => {
    const reply = (id: string, inTopic = false): Promise<number> =>
      codeOf(
        stage.client().im.v1.message.reply({
          path: { message_id: id },
          data: { msg_type: 'text', content: '{"text":"x"}', reply_in_thread: inTopic },
        }),
      )
    const said = stage.control.say(stage.group, stage.ann, 'x')
    const bundle = stage.control.forwardBundle(stage.group, stage.ann, [said])
    stage.control.recall(said, stage.ann)
    expect(await reply('omt_1')).toBe(99992354)
    expect(await reply('om_1')).toBe(231003)
    expect(await reply(said)).toBe(230011)
    expect(await reply(bundle, true)).toBe(230072)
  })

  it('refuses @all where the group forbids it', async () => {
    stage.control.updateChat(stage.group, { atAllAllowed: false })
    expect(await codeOfSend('text', text('<at user_id="all"></at> hi'))).toBe(230018)
    stage.control.updateChat(stage.group, { atAllAllowed: true })
    expect(await codeOfSend('text', text('<at user_id="all"></at> hi'))).toBe(0)
    expect(stage.control.transcript(stage.group)[0]?.text).toBe('@所有人 hi')
  })

  it('forwards what may be forwarded', async () => {
    const target = stage.control.createChat({ members: [stage.ann], bots: [stage.app.appId] })
    const closed = { schema: '2.0', config: { enable_forward: false }, body: { elements: [] } }
    const [plain, card] = [
      await stage.send(stage.group, 'text', text('copy')),
      await stage.send(stage.group, 'interactive', closed),
    ]
    const forward = (id: unknown): Promise<{ code: number }> =>
      stage.call('POST', `/im/v1/messages/${String(id)}/forward?receive_id_type=chat_id`, {
        receive_id: target,
      })
    expect((await forward(plain.data['message_id'])).code).toBe(0)
    expect((await forward(card.data['message_id'])).code).toBe(230027)
    expect(stage.control.transcript(target).map((one) => one.text)).toEqual(['copy'])
  })

  it('loses the answer or breaks before the work, as told', async () => {
    stage.control.faults.onRequest({ route: 'POST /open-apis/im/v1/messages', break: 'drop_after' })
    await expect(stage.send(stage.group, 'text', text('kept'), { uuid: 'k' })).rejects.toThrow()
    expect(stage.control.transcript(stage.group)).toHaveLength(1)
    stage.control.faults.onRequest({ route: '/open-apis/im/v1/messages', break: 'drop_before' })
    await expect(stage.send(stage.group, 'text', text('lost'))).rejects.toThrow()
    stage.control.faults.onRequest({ route: '/open-apis/im/v1/messages', after: 1, status: 400, code: 11232 })
    expect(await codeOfSend('text', text('kept'), { uuid: 'k' })).toBe(0)
    expect(await codeOfSend('text', text())).toBe(11232)
    expect(stage.control.transcript(stage.group)).toHaveLength(1)
    expect(stage.control.requests('/open-apis/im/v1/messages').map((one) => one.fault)).toEqual([
      'drop_after',
      'drop_before',
      undefined,
      '400 11232',
    ])
  })
})
