import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readEvent } from '../../../../adapters/feishu/inbound/event.ts'
import { context } from '../fixture.ts'

/** Mostly what belongs there; else everything that could stand there instead, or nothing. */
const field = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom('', null, undefined, 7, true, [], {}, ['x'], { open_id: 3 }) },
  )
const text = field(fc.constantFrom('ou_bot', 'ou_a', 'x', '1609073151345'))
const person = field(fc.record({ open_id: text, user_id: text, union_id: text }, { requiredKeys: [] }))
const mention = field(
  fc.record(
    { key: field(fc.constantFrom('@_user_1', '@_all')), id: person, name: text, mentioned_type: text },
    { requiredKeys: ['key', 'id'] },
  ),
)
const said = fc.record({
  sender: field(fc.record({ sender_id: person, tenant_key: text })),
  message: field(
    fc.record({
      ...{ message_id: text, parent_id: text, thread_id: text, create_time: text, chat_id: text },
      chat_type: field(fc.constantFrom('group', 'p2p')),
      message_type: field(fc.constantFrom('text', 'post')),
      content: field(
        field(fc.constant('@_user_1 hello @_all')).map((words) => JSON.stringify({ text: words }) ?? ''),
      ),
      mentions: field(fc.array(mention, { maxLength: 2 })),
    }),
  ),
})
const header = fc.record({
  ...{ event_id: text, create_time: text, app_id: field(fc.constant(context.appId)), tenant_key: text },
  event_type: field(fc.constant('im.message.receive_v1')),
})

const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

it('W10: ten thousand messages are read at a look exactly as through the schema', { timeout: 60_000 }, () => {
  let messages = 0
  fc.assert(
    fc.property(header, said, (head, event) => {
      // What the schema would put in anyway is left out, which only the schema forgives.
      const strict = readEvent(asSent({ schema: '2.0', header: head, event }), context)
      const sender = isObject(event.sender) ? { sender_type: 'user', ...event.sender } : event.sender
      const whole = { schema: '2.0', header: { token: '', ...head }, event: { ...event, sender } }
      expect(readEvent(asSent(whole), context)).toEqual(strict)
      if (strict.type === 'event') messages++
    }),
    { numRuns: 10_000, seed: 20_260_105 },
  )
  expect(messages).toBeGreaterThan(2_000)
})

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
