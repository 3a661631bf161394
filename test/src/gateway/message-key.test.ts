import { expect, it } from 'vitest'
import { dedupeKey, idKey } from '../../../src/gateway/message-key.ts'
import { messageEvent } from './stage.ts'

it('a message is known by its id, and by its moment first where every delivery says the same', () => {
  const event = messageEvent({ messageId: 'om_a', sentAt: 1_767_575_400_123 })
  expect(dedupeKey(event)).toBe('ops:m:om_a')
  expect(dedupeKey({ ...event, isSentAtFixed: true })).toBe('ops:m:1767575400123:om_a')
  expect(dedupeKey({ ...event, isSentAtFixed: true, sentAt: 5 })).toBe('ops:m:0000000000005:om_a')
  expect(idKey('ops', 'om_a')).toBe('ops:m:om_a')
})

it('keys of later messages come later, so that their index grows at its end', () => {
  const moments = [999, 1_000, 999_999_999_999, 1_767_575_400_123]
  const keys = moments.map((sentAt) => dedupeKey(messageEvent({ sentAt, isSentAtFixed: true })))
  expect(keys.toSorted()).toEqual(keys)
})
