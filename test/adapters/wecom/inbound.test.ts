import { describe, expect, it } from 'vitest'
import { inboundOf } from '../../../adapters/wecom/inbound.ts'
import { aibotSchema } from '../../../adapters/wecom/payload.ts'
import type { InboundEvent } from '../../../src/protocol/inbound.ts'

const AT = 1_767_225_600_000

function read(payload: object, reqId: string | undefined = 'R1'): InboundEvent | undefined {
  const context = { botId: 'oa', names: ['运维助手'], receivedAt: AT, ...(reqId !== '' && { reqId }) }
  return inboundOf(aibotSchema.parse(payload), context)
}

const group = {
  msgid: 'M1',
  create_time: 1_767_225_600,
  aibotid: 'AIB1',
  chatid: 'wrkSFfCgAA',
  chattype: 'group',
  from: { userid: 'ZhangSan' },
}
const single = { msgid: 'M2', aibotid: 'AIB1', chattype: 'single', from: { userid: 'ZhangSan' } }

describe('inboundOf messages', () => {
  it('wecom 7: a group text becomes a message without our mention, with the quote beside it', () => {
    const event = read({
      ...group,
      msgtype: 'text',
      text: { content: '@运维助手 部署 staging' },
      quote: { msgtype: 'text', text: { content: '上次的报错' } },
    })

    expect(event).toEqual({
      type: 'message',
      address: { botId: 'oa', chatId: 'wrkSFfCgAA', chatType: 'group' },
      messageId: 'M1',
      sender: { user: 'wecom:zhangsan', isBot: false, isExternal: false },
      text: '部署 staging',
      mentions: [],
      mentionsBot: true,
      mentionsAll: false,
      attachments: [],
      quoted: { text: '上次的报错' },
      sentAt: AT,
      replyTo: JSON.stringify({ via: 'socket', chat: 'wrkSFfCgAA', at: AT, reqId: 'R1' }),
    })
  })

  it('a single chat is addressed by the user id as written and mentions nobody', () => {
    expect(read({ ...single, msgtype: 'text', text: { content: '你好' } })).toMatchObject({
      address: { botId: 'oa', chatId: 'ZhangSan', chatType: 'direct' },
      mentionsBot: false,
      sentAt: AT,
    })
  })

  it('mixed keeps texts in order and images as attachments with their key', () => {
    const parts = [
      { msgtype: 'text', text: { content: '看这个' } },
      { msgtype: 'image', image: { url: 'https://h.qq.com/1', aeskey: 'K' } },
      { msgtype: 'text', text: { content: '@运维助手' } },
    ]

    expect(read({ ...group, msgtype: 'mixed', mixed: { msg_item: parts } })).toMatchObject({
      text: '看这个',
      attachments: [{ kind: 'image', handle: { url: 'https://h.qq.com/1', aeskey: 'K', at: String(AT) } }],
    })
  })

  it('voice arrives as its transcript; files, images and videos as attachments', () => {
    expect(read({ ...single, msgtype: 'voice', voice: { content: '查一下负载' } })).toMatchObject({
      text: '查一下负载',
    })
    for (const kind of ['file', 'image', 'video']) {
      expect(read({ ...single, msgtype: kind, [kind]: { url: 'https://h.qq.com/f' } })).toMatchObject({
        text: '',
        attachments: [{ kind, handle: { url: 'https://h.qq.com/f' } }],
      })
    }
  })

  it('wecom 6: a quoted file comes along with the message that quotes it', () => {
    const quote = { msgtype: 'file', file: { url: 'https://h.qq.com/q', aeskey: 'K' } }

    expect(read({ ...group, msgtype: 'text', text: { content: '@运维助手 读一下' }, quote })).toMatchObject({
      text: '读一下',
      attachments: [],
      quoted: { attachments: [{ kind: 'file', handle: { url: 'https://h.qq.com/q', aeskey: 'K' } }] },
    })
  })

  it('a URL callback is answered through its stream and response_url', () => {
    const event = read(
      { ...single, msgtype: 'text', text: { content: 'x' }, response_url: 'https://q/r' },
      '',
    )

    expect(event).toMatchObject({
      replyTo: JSON.stringify({ via: 'poll', chat: 'ZhangSan', at: AT, stream: 's-M2', url: 'https://q/r' }),
    })
  })

  it('wecom 37: encrypted ids of other companies are external and match no rule', () => {
    const from = { userid: 'woLZQbEAAAxY7wTq9PcDwdkWgZyH0eRg' }

    expect(read({ ...group, from, msgtype: 'text', text: { content: 'x' } })).toMatchObject({
      sender: { user: 'unknown:woLZQbEAAAxY7wTq9PcDwdkWgZyH0eRg', isExternal: true },
    })
    const foreign = { userid: 'lisi', corpid: 'wwother' }
    expect(read({ ...group, from: foreign, msgtype: 'text', text: { content: 'x' } })).toMatchObject({
      sender: { user: 'unknown:lisi', isExternal: true },
    })
    expect(
      read({ ...group, from: { userid: 'wolf' }, msgtype: 'text', text: { content: 'x' } }),
    ).toMatchObject({
      sender: { user: 'wecom:wolf', isExternal: false },
    })
  })

  it('an unknown kind of message is still a message, with a note', () => {
    expect(read({ ...single, msgtype: 'hologram' })).toMatchObject({
      text: '',
      note: { key: 'wecom.unreadable', params: { type: 'hologram' } },
    })
  })
})

describe('inboundOf events', () => {
  const click = {
    card_type: 'button_interaction',
    event_key: 'approval=a1&decision=allow&nonce=n+1',
    task_id: 'a1_x',
    selected_items: { selected_item: [{ question_key: 'scope', option_ids: { option_id: ['once'] } }] },
  }
  const expected = {
    type: 'action',
    address: { botId: 'oa', chatId: 'wrkSFfCgAA', chatType: 'group' },
    eventId: 'M1',
    operator: { user: 'wecom:zhangsan', isBot: false, isExternal: false },
    value: { approval: 'a1', decision: 'allow', nonce: 'n 1' },
    form: { scope: 'once' },
    sentAt: AT,
    handle: { taskId: 'a1_x', reqId: 'R1' },
  }

  it('wecom 14: a click is read nested under its own name', () => {
    const event = { eventtype: 'template_card_event', template_card_event: click }

    expect(read({ ...group, msgtype: 'event', event })).toEqual(expected)
  })

  it('a flat click, as the SDK types it, is read too', () => {
    expect(
      read({ ...group, msgtype: 'event', event: { eventtype: 'template_card_event', ...click } }),
    ).toEqual(expected)
  })

  it('a click on the dead button of a decided card is nothing', () => {
    const event = { eventtype: 'template_card_event', template_card_event: { ...click, event_key: 'noop' } }

    expect(read({ ...group, msgtype: 'event', event })).toBeUndefined()
  })

  it("enter_chat can be welcomed, feedback is told, disconnected is nobody's business", () => {
    expect(read({ ...single, msgtype: 'event', event: { eventtype: 'enter_chat' } })).toEqual({
      type: 'chat_entered',
      address: { botId: 'oa', chatId: 'ZhangSan', chatType: 'direct' },
      eventId: 'M2',
      operator: { user: 'wecom:zhangsan', isBot: false, isExternal: false },
      sentAt: AT,
      replyTo: JSON.stringify({ via: 'welcome', chat: 'ZhangSan', at: AT, reqId: 'R1' }),
    })
    const feedback = { eventtype: 'feedback_event', feedback_event: { id: 'F', type: 2, content: '算错了' } }
    expect(read({ ...single, msgtype: 'event', event: feedback })).toMatchObject({
      type: 'feedback',
      helpful: false,
      text: '算错了',
    })
    const { from, ...anonymous } = single
    expect(from.userid).toBe('ZhangSan')
    expect(
      read({ ...anonymous, msgtype: 'event', event: { eventtype: 'disconnected_event' } }),
    ).toBeUndefined()
  })

  it('tolerates unknown events', () => {
    expect(read({ ...single, msgtype: 'event', event: { eventtype: 'auth_change_event' } })).toBeUndefined()
  })
})
