import { describe, expect, it } from 'vitest'
import { admit, STALE_AFTER_MS } from '../../../src/gateway/admission.ts'
import type { Access } from '../../../src/policy/access.ts'
import type { MessageEvent } from '../../../src/protocol/inbound.ts'
import { messageEvent, person } from './stage.ts'

const now = Date.UTC(2026, 0, 5, 1)
const everyone: Access = {
  mayTalk: () => true,
  mayOperate: () => true,
  isAdmin: () => false,
} as unknown as Access

function verdict(change: Partial<MessageEvent>, answerAll = false, access = everyone): string {
  const event = messageEvent({ sentAt: now, ...change })
  const admission = admit(event, { access, answerAll, now })
  return admission.verdict === 'refuse' ? admission.textKey : admission.verdict
}

const direct = { botId: 'ops', chatId: 'oc_p', chatType: 'direct' as const }
const robot = person('feishu:ou_bot', { isBot: true })

describe('admit', () => {
  it.each<[string, Partial<MessageEvent>, string]>([
    ['a mention in a group', { mentionsBot: true }, 'message'],
    ['no mention in a group', {}, 'ignore'],
    ['everybody is mentioned in a group', { mentionsAll: true }, 'ignore'],
    ['a direct chat', { address: direct }, 'message'],
    ['R27: another bot in a direct chat', { address: direct, sender: robot }, 'ignore'],
    ['R27: another bot that mentions everybody', { mentionsAll: true, sender: robot }, 'ignore'],
    ['another bot that mentions us', { mentionsBot: true, sender: robot }, 'message'],
    ['a command of a person', { mentionsBot: true, text: '/stop' }, 'command'],
    ['a command of a bot', { mentionsBot: true, text: '/stop', sender: robot }, 'message'],
    ['nothing but a mention', { mentionsBot: true, text: ' ' }, 'gateway.empty'],
    ['a quote without words', { mentionsBot: true, text: '', quoted: { text: 'x' } }, 'message'],
    [
      'a picture without words',
      { mentionsBot: true, text: '', attachments: [{ kind: 'image', handle: {} }] },
      'message',
    ],
    [
      'R23: what is first seen after hours',
      { mentionsBot: true, sentAt: now - STALE_AFTER_MS - 1 },
      'gateway.stale',
    ],
    ['what is seen just in time', { mentionsBot: true, sentAt: now - STALE_AFTER_MS }, 'message'],
  ])('%s', (_, change, expected) => {
    expect(verdict(change)).toBe(expected)
  })

  it('answers a mention of everybody where it is configured', () => {
    expect(verdict({ mentionsAll: true }, true)).toBe('message')
  })

  it('refuses who may not talk, with the id that the administrator needs', () => {
    const access = { ...everyone, mayTalk: () => false }
    const event = messageEvent({ sentAt: now, mentionsBot: true })
    expect(admit(event, { access, answerAll: false, now })).toEqual({
      verdict: 'refuse',
      textKey: 'gateway.may_not_talk',
      params: { user: 'feishu:ou_1' },
    })
  })
})
