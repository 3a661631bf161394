import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readEvent } from '../../../../adapters/feishu/inbound/event.ts'
import type { ActionEvent } from '../../../../src/protocol/inbound.ts'
import { context, eventPayload, fixture } from '../fixture.ts'

const recorded = z
  .looseObject({ event: z.looseObject({ action: z.looseObject({}) }) })
  .parse(fixture('card-action'))

function read(change: object): ActionEvent | undefined {
  const reading = readEvent(eventPayload('card.action.trigger', { ...recorded.event, ...change }), context)
  return reading.type === 'event' && reading.event.type === 'action' ? reading.event : undefined
}

describe('a recorded click', () => {
  it('C1: carries the value as we sent it, the form, and who clicked', () => {
    expect(readEvent(fixture('card-action'), context)).toEqual({
      type: 'event',
      event: {
        type: 'action',
        address: { botId: 'ops', chatId: 'oc_group', chatType: 'group' },
        eventId: 'f7984f25108f8137722bb63cee927e66',
        operator: { user: 'feishu:ou_approver', isBot: false, isExternal: false },
        messageId: 'om_card',
        value: { approval: 'a1', decision: 'allow', nonce: 'n1' },
        form: { scope: 'once', tags: 'a,b', agree: 'true' },
        sentAt: 1603977298000,
      },
    })
  })

  it('C1: is refused with a blank callback token', () => {
    expect(read({ token: '' })).toBeUndefined()
  })

  it('C2: fails closed without open_id', () => {
    expect(read({ operator: { user_id: '867', tenant_key: '736588c9260f175e' } })?.operator.user).toBe(
      'unknown:867',
    )
  })

  it('C21: a clicker of another tenant is external', () => {
    expect(read({ operator: { open_id: 'ou_x', tenant_key: 'other' } })?.operator.isExternal).toBe(true)
  })

  it.each([
    [{ input_value: '原因' }, '原因'],
    [{ option: 'x' }, 'x'],
    [{ options: ['x', 'y'] }, 'x,y'],
    [{ checked: false }, 'false'],
  ])('reads a component outside forms: %j', (input, expected) => {
    expect(read({ action: { value: {}, name: 'field', ...input } })?.form).toEqual({ field: expected })
  })

  it('leaves out values that we never send', () => {
    expect(read({ action: { value: 'a string' } })?.value).toEqual({})
    expect(read({ action: { value: { id: 'x', deep: { a: 1 } } } })?.value).toEqual({ id: 'x' })
  })
})
