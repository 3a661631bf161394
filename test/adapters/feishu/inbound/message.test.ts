import { describe, expect, it } from 'vitest'
import { readEvent } from '../../../../adapters/feishu/inbound/event.ts'
import type { MessageEvent } from '../../../../src/protocol/inbound.ts'
import { context, eventPayload, fixture, messagePayload } from '../fixture.ts'

function read(payload: unknown, answerAll = false): MessageEvent {
  const reading = readEvent(payload, { ...context, answerAll })
  if (reading.type !== 'event' || reading.event.type !== 'message') throw new Error(JSON.stringify(reading))
  return reading.event
}

const text = (value: string): object => ({ content: JSON.stringify({ text: value }) })
const mention = (key: string, openId: string, name: string): object => ({
  key,
  id: { open_id: openId },
  name,
})

describe('a recorded topic message', () => {
  it('feishu 18: becomes an event of its topic that is answered by its own id', () => {
    expect(read(fixture('message-topic'))).toEqual({
      type: 'message',
      address: { botId: 'ops', chatId: 'oc_group', chatType: 'group', threadId: 'omt_topic' },
      messageId: 'om_a',
      eventId: '5e3702a84e847582be8db7fb73283c02',
      sender: { user: 'feishu:ou_sender', isBot: false, isExternal: false },
      text: 'hello @李雷',
      mentions: [
        { user: 'feishu:ou_bot', name: 'Agent', isBot: true },
        { user: 'feishu:ou_li', name: '李雷', isBot: false },
      ],
      mentionsBot: true,
      mentionsAll: false,
      attachments: [],
      quoted: { messageId: 'om_parent' },
      sentAt: 1609073151345,
      isSentAtFixed: true,
      replyTo: 'om_a',
    })
  })

  it('feishu 18: a quote without thread_id belongs to the group, not to a topic', () => {
    expect(read(messagePayload({ thread_id: undefined })).address).toEqual({
      botId: 'ops',
      chatId: 'oc_group',
      chatType: 'group',
    })
  })

  it('tells a direct chat', () => {
    const event = read(messagePayload({ chat_type: 'p2p', mentions: undefined, thread_id: '' }))
    expect(event.address.chatType).toBe('direct')
    expect(event.mentionsBot).toBe(false)
  })
})

describe('who wrote', () => {
  it('C21: takes another tenant, or none, for another company', () => {
    expect(read(messagePayload({}, { tenant_key: 'other' })).sender.isExternal).toBe(true)
    expect(read(messagePayload({}, { tenant_key: null })).sender.isExternal).toBe(true)
  })

  it('fails closed without open_id', () => {
    const event = read(messagePayload({}, { sender_id: { user_id: 'u1', open_id: '' } }))
    expect(event.sender.user).toBe('unknown:u1')
  })

  it('drops its own messages and marks those of other bots', () => {
    const own = { sender_type: 'app', sender_id: { open_id: 'ou_bot' } }
    expect(readEvent(messagePayload({}, own), context).type).toBe('ignored')
    const other = { sender_type: 'bot', sender_id: { open_id: 'ou_other' } }
    expect(read(messagePayload({}, other)).sender.isBot).toBe(true)
  })

  it('W8: drops what is addressed to another app', () => {
    const reading = readEvent(fixture('message-topic'), { ...context, appId: 'cli_ffffffffffffffff' })
    expect(reading).toEqual({ type: 'ignored', reason: 'event of another app' })
  })
})

describe('mentions', () => {
  it('feishu 16: only the own open_id is the bot, not a name or the first place', () => {
    const event = read(
      messagePayload({ ...text('@_user_1 hi'), mentions: [mention('@_user_1', 'ou_x', 'Agent')] }),
    )
    expect(event).toMatchObject({ mentionsBot: false, text: '@Agent hi' })
  })

  it('feishu 16: nobody is the bot before its open_id is known', () => {
    const reading = readEvent(fixture('message-topic'), { ...context, botOpenId: undefined })
    expect(reading).toMatchObject({ event: { mentionsBot: false } })
  })

  it.each([
    ['entry', [{ key: '@_all', id: { open_id: '' }, name: '所有人' }]],
    ['no entry', undefined],
  ])('feishu 16: @all with %s in mentions is not the bot unless the setting says so', (_, mentions) => {
    const payload = messagePayload({ ...text('@_all 开会'), mentions })
    expect(read(payload)).toMatchObject({ mentionsAll: true, mentionsBot: false, text: '@所有人 开会' })
    expect(read(payload, true)).toMatchObject({ mentionsAll: true, mentionsBot: true })
  })

  it('feishu 17: @_user_1 does not eat @_user_10, and literal placeholders stay', () => {
    const event = read(
      messagePayload({
        ...text('@_user_1 /deploy @_user_10 @_user_2 @_user_11'),
        mentions: [
          mention('@_user_1', 'ou_bot', 'Agent'),
          mention('@_user_2', 'ou_b', '@_user_10'),
          mention('@_user_10', 'ou_c', '韩梅梅'),
        ],
      }),
    )
    expect(event.text).toBe('/deploy @韩梅梅 @@_user_10 @_user_11')
  })

  it.each([
    ['@_user_1 /status', '/status'],
    ['/status @_user_1', '/status'],
    ['看下 @_user_1 这个', '看下 这个'],
    ['看下@_user_1 这个', '看下 这个'],
    ['@_user_1\n第二行', '第二行'],
    ['@_user_1', ''],
    ['@_user_1 @_user_1 两次', '两次'],
  ])('feishu 17: strips the own mention in any position: %j', (typed, expected) => {
    const mentions = [mention('@_user_1', 'ou_bot', 'Agent')]
    expect(read(messagePayload({ ...text(typed), mentions })).text).toBe(expected)
  })
})

describe('message types', () => {
  const of = (type: string, content: object): MessageEvent =>
    read(messagePayload({ message_type: type, content: JSON.stringify(content), mentions: [] }))

  it('feishu 19: a post keeps its text, mentions and both pictures', () => {
    const event = read(
      messagePayload({
        message_type: 'post',
        content: JSON.stringify({
          title: '巡检',
          content: [
            [
              { tag: 'at', user_id: '@_user_1', user_name: 'Agent' },
              { tag: 'text', text: ' 看图 @_user_2 ' },
              { tag: 'at', user_id: '@_user_2', user_name: '李雷' },
              { tag: 'a', href: 'https://a.example', text: '链接' },
            ],
            [{ tag: 'img', image_key: 'img_1' }],
            [{ tag: 'img', image_key: 'img_2' }],
            [{ tag: 'code_block', language: 'GO', text: 'x := 1\n' }],
            [{ tag: 'media', file_key: 'file_1', image_key: 'img_3' }],
          ],
        }),
      }),
    )
    expect(event.text).toBe('巡检\n看图 @_user_2 @李雷[链接](https://a.example)\n```go\nx := 1\n```')
    expect(event.attachments).toEqual([
      { kind: 'image', handle: { messageId: 'om_a', fileKey: 'img_1', type: 'image' } },
      { kind: 'image', handle: { messageId: 'om_a', fileKey: 'img_2', type: 'image' } },
      { kind: 'video', handle: { messageId: 'om_a', fileKey: 'file_1', type: 'file' } },
    ])
    expect(event.mentionsBot).toBe(true)
  })

  it('reads a post that has a locale wrapper all the same', () => {
    const post = { zh_cn: { title: '', content: [[{ tag: 'text', text: '你好' }]] } }
    expect(of('post', post).text).toBe('你好')
  })

  it.each([
    [
      'image',
      { image_key: 'img_1' },
      { kind: 'image', handle: { messageId: 'om_a', fileKey: 'img_1', type: 'image' } },
    ],
    [
      'file',
      { file_key: 'file_1', file_name: '报告.pdf' },
      { kind: 'file', name: '报告.pdf', handle: { messageId: 'om_a', fileKey: 'file_1', type: 'file' } },
    ],
    [
      'audio',
      { file_key: 'file_1', duration: 2000 },
      { kind: 'audio', handle: { messageId: 'om_a', fileKey: 'file_1', type: 'file' } },
    ],
    [
      'media',
      { file_key: 'file_1', image_key: 'img_1', file_name: 'a.mp4', duration: 2000 },
      { kind: 'video', name: 'a.mp4', handle: { messageId: 'om_a', fileKey: 'file_1', type: 'file' } },
    ],
  ])('reads %s', (type, content, attachment) => {
    expect(of(type, content).attachments).toEqual([attachment])
  })

  it('feishu 20: a forwarded bundle is opened later', () => {
    expect(of('merge_forward', { content: 'Merged and Forwarded Message' }).bundle).toEqual({
      messageId: 'om_a',
    })
  })

  it.each([
    ['folder', { file_key: 'f', file_name: '资料' }, 'feishu.note.folder'],
    ['sticker', { file_key: 'f' }, 'feishu.note.sticker'],
    ['share_chat', { chat_id: 'oc_2' }, 'feishu.note.share_chat'],
    ['share_user', { user_id: 'ou_2' }, 'feishu.note.share_user'],
    ['location', { name: '西湖', longitude: '120', latitude: '30' }, 'feishu.note.location'],
    ['hongbao', { text: '[红包]' }, 'feishu.note.hongbao'],
    ['vote', { topic: '吃啥', options: ['面'] }, 'feishu.note.vote'],
    ['todo', { task_id: 't', summary: { content: [[{ tag: 'text', text: '写周报' }]] } }, 'feishu.note.todo'],
    ['video_chat', { topic: '周会' }, 'feishu.note.meeting'],
    ['share_calendar_event', { summary: '评审' }, 'feishu.note.calendar'],
    ['system', { template: '{from_user} invited', from_user: ['a'] }, 'feishu.note.system'],
    ['hologram', { anything: 1 }, 'feishu.note.unknown_type'],
  ])('never swallows %s: it gets a visible note', (type, content, key) => {
    expect(of(type, content).note?.key).toBe(key)
  })

  it('keeps the words of polls and tasks, and notes content that is not JSON', () => {
    expect(of('vote', { topic: '吃啥', options: ['面', '饭'] }).text).toBe('吃啥\n- 面\n- 饭')
    expect(of('todo', { summary: { title: '', content: [[{ tag: 'text', text: '写周报' }]] } }).text).toBe(
      '写周报',
    )
    expect(read(messagePayload({ content: '{broken' })).note).toEqual({
      key: 'feishu.note.unreadable',
      params: { type: 'text' },
    })
  })

  it('reads the words of a card', () => {
    const card = {
      title: '告警',
      elements: [[{ tag: 'text', text: 'CPU 95%' }], [{ tag: 'button', text: '确认' }]],
    }
    expect(of('interactive', card).text).toBe('告警\nCPU 95%\n确认')
    expect(of('interactive', { title: null, elements: [] }).note?.key).toBe('feishu.note.card')
  })

  it('ignores events nobody has use for', () => {
    const reading = readEvent(eventPayload('im.message.message_read_v1', {}), context)
    expect(reading).toEqual({ type: 'ignored', reason: 'no use for im.message.message_read_v1' })
  })
})
