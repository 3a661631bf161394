import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Address, chatKey, sessionKey } from '../../../src/protocol/address.ts'

/** Ids with everything in them that a key is made of. */
const id = fc.oneof(
  fc.constantFrom('a', 'a:b', 'a/b', '..', '', '/', ':', 'a%2Fb', '%', ' ', 'oc_1', 'A'.repeat(300)),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const address = fc.record(
  { botId: fc.constantFrom('ops', 'oa', 'o'), chatId: id, threadId: id },
  { requiredKeys: ['botId', 'chatId'] },
)

it('T2: two chats, or two topics of one, never have one key, whatever stands in their ids', () => {
  fc.assert(
    fc.property(address, address, (one, other) => {
      const [a, b] = [one, other].map((given): Address => ({ ...given, chatType: 'group' }))
      if (!a || !b) return
      const same = a.botId === b.botId && a.chatId === b.chatId
      expect(chatKey(a) === chatKey(b)).toBe(same)
      expect(sessionKey(a) === sessionKey(b)).toBe(same && (a.threadId ?? '') === (b.threadId ?? ''))
    }),
    { numRuns: 10_000, seed: 20_261_130 },
  )
})
