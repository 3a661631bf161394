import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readEvent } from '../../../../adapters/feishu/inbound/event.ts'
import { context, eventPayload, fixture } from '../fixture.ts'

const events = z.record(z.string(), z.looseObject({})).parse(fixture('chat-events'))
const read = (type: string, event: unknown): unknown => readEvent(eventPayload(type, event), context)

describe('events of a chat', () => {
  it.each([
    ['im.chat.member.bot.added_v1', 'bot_added', 'group'],
    ['im.chat.member.bot.deleted_v1', 'bot_removed', 'group'],
    ['im.chat.disbanded_v1', 'chat_disbanded', 'group'],
    ['im.chat.access_event.bot_p2p_chat_entered_v1', 'chat_entered', 'direct'],
  ])('%s becomes %s', (type, expected, chatType) => {
    expect(read(type, events.bot_added)).toEqual({
      type: 'event',
      event: {
        type: expected,
        address: { botId: 'ops', chatId: 'oc_group', chatType },
        eventId: '5e3702a84e847582be8db7fb73283c02',
        operator: { user: 'feishu:ou_li', isBot: false, isExternal: false },
        sentAt: 1608725989000,
      },
    })
  })

  it('reads a recall', () => {
    expect(read('im.message.recalled_v1', events.recalled)).toEqual({
      type: 'event',
      event: {
        type: 'recalled',
        address: { botId: 'ops', chatId: 'oc_group', chatType: 'group' },
        eventId: '5e3702a84e847582be8db7fb73283c02',
        messageId: 'om_a',
        sentAt: 1615380573411,
      },
    })
  })

  it('reads a reaction of a person', () => {
    expect(read('im.message.reaction.created_v1', events.reaction)).toMatchObject({
      event: { type: 'reaction', emoji: 'SMILE', added: true, operator: { user: 'feishu:ou_li' } },
    })
    expect(read('im.message.reaction.deleted_v1', events.reaction)).toMatchObject({ event: { added: false } })
  })

  it('feishu 33: drops its own reactions, so that no loop starts', () => {
    const own = { ...events.reaction, operator_type: 'app', user_id: null, app_id: context.appId }
    expect(read('im.message.reaction.created_v1', own)).toMatchObject({ type: 'ignored' })
  })
})
