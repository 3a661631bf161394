import { expect, it } from 'vitest'
import { createThreads } from '../../../../src/console/pages/threads.ts'
import type { PlaygroundMessage } from '../../../../src/protocol/playground.ts'

function message(id: string, text: string): PlaygroundMessage {
  return {
    id,
    chatId: 'c',
    from: { id: 'u', name: 'U', role: 'member' },
    content: { type: 'text', text },
    streaming: false,
    recalled: false,
    edited: false,
    mentions: [],
    reactions: [],
    sentAt: 0,
  }
}

const event = (seq: number, one: PlaygroundMessage) =>
  ({ type: 'message', seq, platform: 'p', message: one }) as const

const texts = (threads: ReturnType<typeof createThreads>) =>
  threads.get('k').messages.map(({ content }) => (content.type === 'text' ? content.text : ''))

it('an answer that is older than an event does not undo it', () => {
  const threads = createThreads()
  threads.apply('k', event(5, message('a', 'new')), true)
  threads.apply('k', event(6, message('b', 'later')), true)
  threads.load('k', { seq: 4, messages: [message('a', 'old')], omitted: 0 })
  expect(texts(threads)).toEqual(['new', 'later'])
})

it('an answer that is newer replaces what events said', () => {
  const threads = createThreads()
  threads.apply('k', event(5, message('a', 'event')), true)
  threads.load('k', { seq: 9, messages: [message('a', 'answer')], omitted: 3 })
  expect(texts(threads)).toEqual(['answer'])
  expect(threads.get('k')).toMatchObject({ omitted: 3, loaded: true })
})

it('counts new messages that were not seen, updates do not count', () => {
  const threads = createThreads()
  threads.apply('k', event(1, message('a', '1')), false)
  threads.apply('k', event(2, message('a', '2')), false)
  threads.apply('k', event(3, message('b', '1')), true)
  expect(threads.unread('k')).toBe(1)
  threads.read('k')
  expect(threads.unread('k')).toBe(0)
})
