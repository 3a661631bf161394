import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStage, type Stage } from './stage.ts'

interface Heard {
  readonly event_type: string
  readonly message?: {
    readonly content: string
    readonly chat_type: string
    readonly thread_id?: string
    readonly mentions?: readonly unknown[]
  }
  readonly [key: string]: unknown
}

const types = [
  'im.message.receive_v1',
  'im.message.recalled_v1',
  'im.message.reaction.created_v1',
  'im.message.reaction.deleted_v1',
  'im.chat.member.bot.added_v1',
  'im.chat.member.bot.deleted_v1',
  'im.chat.disbanded_v1',
  'im.chat.access_event.bot_p2p_chat_entered_v1',
  'application.bot.menu_v6',
]

describe('what people do, as bots hear it', () => {
  let stage: Stage
  let heard: Heard[]
  beforeEach(async () => {
    stage = await openStage({ settings: { rateLimits: false } })
    heard = []
    await stage.connect(
      Object.fromEntries(types.map((type) => [type, (data: Heard) => void heard.push(data)])),
    )
  })
  afterEach(() => stage.close())

  const contents = async (): Promise<string[]> => {
    await stage.control.idle()
    return heard.map((one) => one.message?.content ?? one.event_type)
  }

  it('delivers group messages that mention the bot, and all of them with the scope', async () => {
    const { control, group, ann, app } = stage
    control.say(group, ann, 'nothing')
    control.say(group, ann, '@[Bo] nothing')
    control.say(group, ann, [{ at: app.appId }, ' parts'])
    expect(await contents()).toEqual(['{"text":"@_user_1 parts"}'])
    control.updateApp(app.appId, { scopes: ['im:message.group_msg'] })
    control.say(group, ann, 'everything')
    expect((await contents()).at(-1)).toBe('{"text":"everything"}')
    control.updateApp(app.appId, { scopes: [] })
    control.say(group, ann, '@[Agent] unheard')
    expect(await contents()).toHaveLength(2)
  })

  it('delivers direct messages without mention', async () => {
    stage.control.say(stage.control.openDirect(stage.ann, stage.app.appId), stage.ann, 'hi')
    await stage.control.idle()
    expect(heard).toMatchObject([{ message: { chat_type: 'p2p', content: '{"text":"hi"}' } }])
    expect(heard[0]?.message).not.toHaveProperty('mentions')
  })

  it('shows @all as configured, with or without an entry, delivered or not', async () => {
    const { control, group, ann } = stage
    control.say(group, ann, '@[所有人] hi')
    control.configure({ atAllMention: 'absent' })
    control.say(group, ann, '@[all] hi')
    control.configure({ atAllDelivered: false })
    control.say(group, ann, '@[all] unheard')
    expect(await contents()).toEqual(['{"text":"@_all hi"}', '{"text":"@_all hi"}'])
    expect(heard.map((one) => one.message?.mentions)).toMatchObject([
      [{ key: '@_all', id: { open_id: '' }, name: '所有人' }],
      undefined,
    ])
  })

  it('hides user_id without its scope', async () => {
    stage.control.updateApp(stage.app.appId, { scopes: ['im:message.group_at_msg:readonly'] })
    stage.control.say(stage.group, stage.ann, '@[Agent] x')
    await stage.control.idle()
    expect(JSON.stringify(heard)).not.toContain('user_id')
  })

  it('lets bots hear each other only with the scope and a mention', async () => {
    const { control, group, app } = stage
    const other = control.createApp({ name: 'Other' })
    control.addBot(group, other.appId)
    const at = `<at user_id="${control.openId(app.appId, other.appId)}"></at>`
    await stage.send(group, 'text', { text: `${at} unheard` }, {}, other)
    control.updateApp(app.appId, {
      scopes: ['im:message.group_msg', 'im:message.group_at_msg.include_bot:readonly'],
    })
    await stage.send(group, 'text', { text: 'unheard' }, {}, other)
    await stage.send(group, 'text', { text: `${at} heard` }, {}, other)
    await control.idle()
    expect(heard).toMatchObject([
      { sender: { sender_type: 'bot' }, message: { content: '{"text":"@_user_1 heard"}' } },
    ])
  })

  it('keeps topics: replies carry thread, root and parent, or only the root as configured', async () => {
    const { control, group, ann, bo } = stage
    const first = control.say(group, ann, '@[Agent] a')
    control.say(group, bo, '@[Agent] b', { replyTo: first, inTopic: true })
    control.configure({ topicEventsCarryThreadId: false })
    control.say(group, bo, '@[Agent] c', { replyTo: first })
    await control.idle()
    expect(heard.map((one) => one.message)).toMatchObject([
      {},
      { root_id: first, parent_id: first, thread_id: expect.stringMatching(/^omt_/) },
      { root_id: first },
    ])
    expect(heard[2]?.message).not.toHaveProperty('thread_id')
  })

  it('sends every kind of content in the form that receivers get', async () => {
    const { control, ann, app } = stage
    const direct = control.openDirect(ann, app.appId)
    const bytes = Buffer.from('x')
    control.sayPost(direct, ann, {
      title: 'T',
      content: [
        [
          { tag: 'text', text: 'a' },
          { tag: 'at', at: app.appId },
        ],
        [{ tag: 'img', file: { name: 'a.png', bytes } }],
      ],
    })
    control.sendImage(direct, ann, { name: 'a.png', bytes })
    control.sendFile(direct, ann, { name: 'a.txt', bytes })
    control.sendAudio(direct, ann, { name: 'a.opus', bytes, ms: 2000 })
    control.sendMedia(direct, ann, { name: 'a.mp4', bytes, ms: 3000 })
    control.shareUser(direct, ann, stage.bo)
    control.shareChat(direct, ann, stage.group)
    control.sendRaw(direct, ann, 'location', { name: 'here', longitude: '1', latitude: '2' })
    await control.idle()
    const parsed = heard.map((one): unknown => JSON.parse(one.message?.content ?? ''))
    expect(parsed).toMatchObject([
      {
        title: 'T',
        content: [
          [
            { tag: 'text', text: 'a' },
            { tag: 'at', user_id: '@_user_1', user_name: 'Agent' },
          ],
          [{ tag: 'img', image_key: expect.stringMatching(/^img_/) }],
        ],
      },
      { image_key: expect.stringMatching(/^img_/) },
      { file_key: expect.stringMatching(/^file_/), file_name: 'a.txt' },
      { duration: 2000 },
      { duration: 3000, file_name: 'a.mp4' },
      { user_id: control.openId(stage.bo, app.appId) },
      { chat_id: stage.group },
      { name: 'here' },
    ])
  })

  it('tells of recalls, reactions of everybody, and comings and goings of the bot', async () => {
    const { control, group, ann, app } = stage
    const said = control.say(group, ann, 'x')
    control.react(said, ann, 'SMILE')
    control.unreact(said, ann, 'SMILE')
    await stage.call('POST', `/im/v1/messages/${said}/reactions`, { reaction_type: { emoji_type: 'OK' } })
    control.recall(said, ann)
    await control.idle()
    expect(heard).toMatchObject([
      {
        event_type: 'im.message.reaction.created_v1',
        operator_type: 'user',
        reaction_type: { emoji_type: 'SMILE' },
      },
      { event_type: 'im.message.reaction.deleted_v1', operator_type: 'user' },
      { event_type: 'im.message.reaction.created_v1', operator_type: 'app', app_id: app.appId },
      { event_type: 'im.message.recalled_v1', message_id: said, recall_type: 'message_owner' },
    ])
    heard.length = 0
    control.removeBot(group, app.appId)
    await control.idle()
    control.addBot(group, app.appId)
    await control.idle()
    control.disband(group)
    control.enterDirect(ann, app.appId)
    control.pressMenu(ann, app.appId, 'help')
    await control.idle()
    expect(heard).toMatchObject([
      { event_type: 'im.chat.member.bot.deleted_v1', chat_id: group },
      { event_type: 'im.chat.member.bot.added_v1', operator_id: { open_id: control.openId(ann, app.appId) } },
      { event_type: 'im.chat.disbanded_v1' },
      { event_type: 'im.chat.access_event.bot_p2p_chat_entered_v1' },
      { event_type: 'application.bot.menu_v6', event_key: 'help' },
    ])
    expect(() => control.say(group, ann, 'x')).toThrow('disbanded')
  })

  it('delivers edits only as configured, and shows them in the transcript', async () => {
    const { control, group, ann } = stage
    const said = control.say(group, ann, '@[Agent] one')
    control.edit(said, ann, '@[Agent] two')
    expect(await contents()).toHaveLength(1)
    control.configure({ editsDelivered: true })
    control.edit(said, ann, '@[Agent] three')
    expect(await contents()).toEqual(['{"text":"@_user_1 one"}', '{"text":"@_user_1 three"}'])
    expect(control.message(said)).toMatchObject({ text: '@Agent three', edits: 2 })
  })

  it('tells live pages of every change, until they stop listening', async () => {
    const { control, group, ann } = stage
    const changes: string[] = []
    const stop = control.onChange((change) => changes.push(change.type))
    const said = control.say(group, ann, 'x')
    control.react(said, ann, 'OK')
    control.updateChat(group, { name: 'new' })
    stop()
    control.recall(said, ann)
    expect(changes).toEqual(['message', 'message', 'chat'])
    expect(control.chat(group)).toMatchObject({
      name: 'new',
      members: [{ name: 'Ann' }, { name: 'Bo' }],
      bots: [{ name: 'Agent' }],
    })
  })

  it('does not forward what forbids it, and forwarded cards take no clicks', async () => {
    const { control, group, ann } = stage
    const target = control.createChat({ members: [ann] })
    const button = {
      tag: 'button',
      text: { tag: 'plain_text', content: 'Go' },
      behaviors: [{ type: 'callback', value: {} }],
    }
    const send = async (config: object): Promise<string> =>
      String(
        (await stage.send(group, 'interactive', { schema: '2.0', config, body: { elements: [button] } }))
          .data['message_id'],
      )
    expect(() => control.forward('om_none', ann, target)).toThrow('no message')
    const closed = await send({ enable_forward: false })
    expect(() => control.forward(closed, ann, target)).toThrow('cannot be forwarded')
    const copy = control.forward(await send({}), ann, target)
    await expect(control.click({ userId: ann, messageId: copy, on: 'Go' })).rejects.toThrow('takes no clicks')
  })
})
