import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, openStage, type Stage } from './stage.ts'

describe('card entities through the real SDK', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage({ settings: { rateLimits: false } })
  })
  afterEach(() => stage.close())

  const base = {
    schema: '2.0',
    config: { streaming_mode: true },
    body: {
      elements: [
        { tag: 'markdown', element_id: 'answer', content: '' },
        { tag: 'hr', element_id: 'line' },
      ],
    },
  }
  const create = async (card: object = base): Promise<string> => {
    const made = await stage.call('POST', '/cardkit/v1/cards', {
      type: 'card_json',
      data: JSON.stringify(card),
    })
    expect(made.code).toBe(0)
    return String(made.data['card_id'])
  }
  const show = async (id: string): Promise<string> => {
    const sent = await stage.send(stage.group, 'interactive', { type: 'card', data: { card_id: id } })
    expect(sent.code).toBe(0)
    return String(sent.data['message_id'])
  }
  const stream = async (
    id: string,
    content: string,
    sequence: unknown,
    element = 'answer',
    extra = {},
  ): Promise<number> =>
    (
      await stage.call('PUT', `/cardkit/v1/cards/${id}/elements/${element}/content`, {
        content,
        sequence,
        ...extra,
      })
    ).code
  const settings = async (id: string, value: object, sequence: number): Promise<number> =>
    (
      await stage.call('PATCH', `/cardkit/v1/cards/${id}/settings`, {
        settings: JSON.stringify(value),
        sequence,
      })
    ).code

  it('streams text into a sent card and closes it', async () => {
    const client = stage.client()
    const made = await client.cardkit.v1.card.create({
      data: { type: 'card_json', data: JSON.stringify(base) },
    })
    const id = made.data?.card_id ?? ''
    const messageId = await show(id)
    const path = { card_id: id, element_id: 'answer' }
    expect(
      await codeOf(client.cardkit.v1.cardElement.content({ path, data: { content: '你', sequence: 1 } })),
    ).toBe(0)
    expect(
      await codeOf(client.cardkit.v1.cardElement.content({ path, data: { content: '你好', sequence: 2 } })),
    ).toBe(0)
    expect(stage.control.message(messageId)).toMatchObject({
      text: '你好',
      card: { version: 2, cardId: id, streaming: true, sequence: 2 },
    })
    const done = client.cardkit.v1.card.settings({
      path: { card_id: id },
      data: { settings: '{"config":{"streaming_mode":false}}', sequence: 3 },
    })
    expect(await codeOf(done)).toBe(0)
    expect(stage.control.message(messageId)?.card?.streaming).toBe(false)
  })

  it('wants a strictly rising sequence from 1', async () => {
    const id = await create()
    expect(await stream(id, 'a', 0)).toBe(300317)
    expect(await stream(id, 'a', 'x')).toBe(300315)
    expect(await stream(id, 'a', 5)).toBe(0)
    expect(await stream(id, 'b', 5)).toBe(300317)
    expect(await stream(id, 'b', 4)).toBe(300317)
    expect(await stream(id, 'b', 6)).toBe(0)
  })

  it('does a repeated uuid once and refuses it for something else', async () => {
    const id = await create()
    expect(await stream(id, 'a', 1, 'answer', { uuid: 'u' })).toBe(0)
    expect(await stream(id, 'a', 1, 'answer', { uuid: 'u' })).toBe(0)
    expect(await stream(id, 'b', 2, 'answer', { uuid: 'u' })).toBe(200770)
  })

  it('closes by itself after ten minutes and opens again by settings', async () => {
    const id = await create()
    await stage.clock.advance(10 * 60_000)
    expect(await stream(id, 'a', 1)).toBe(200850)
    expect(await settings(id, { streaming_mode: true }, 2)).toBe(0)
    expect(await stream(id, 'a', 3)).toBe(200850)
    expect(await settings(id, { config: { streaming_mode: true } }, 4)).toBe(0)
    expect(await stream(id, 'a', 5)).toBe(0)
    expect(await settings(id, { config: { streaming_mode: false } }, 6)).toBe(0)
    expect(await stream(id, 'b', 7)).toBe(300309)
  })

  it('refuses empty text, missing and wrong elements, other cards and other apps', async () => {
    const id = await create()
    const other = stage.control.createApp({ name: 'Other' })
    expect(await stream(id, '', 1)).toBe(300307)
    expect(await stream(id, 'a', 1, 'none')).toBe(300313)
    expect(await stream(id, 'a', 1, 'line')).toBe(300310)
    expect(await stream('1', 'a', 1)).toBe(200740)
    const stolen = await stage.call(
      'PUT',
      `/cardkit/v1/cards/${id}/elements/answer/content`,
      { content: 'a', sequence: 1 },
      other,
    )
    expect(stolen.code).toBe(300311)
    await stage.clock.advance(14 * 86_400_000 + 1)
    expect(await stream(id, 'a', 1)).toBe(200750)
  })

  it('refuses cards of schema 1.0, broken ones, large ones and shared ids at creation', async () => {
    const make = async (data: string): Promise<number> =>
      (await stage.call('POST', '/cardkit/v1/cards', { type: 'card_json', data })).code
    expect(await make('{"elements":[]}')).toBe(300303)
    expect(await make('{')).toBe(200220)
    expect(await make(JSON.stringify({ schema: '2.0', body: { elements: [{ tag: 'note' }] } }))).toBe(200220)
    expect(
      await make(
        JSON.stringify({
          schema: '2.0',
          body: { elements: [{ tag: 'markdown', content: '字'.repeat(10_300) }] },
        }),
      ),
    ).toBe(200860)
    const twice = ['a', 'b'].map((content) => ({ tag: 'markdown', element_id: 'same', content }))
    expect(await make(JSON.stringify({ schema: '2.0', body: { elements: twice } }))).toBe(300301)
    expect(
      await make(
        JSON.stringify({
          schema: '2.0',
          body: { elements: Array.from({ length: 201 }, () => ({ tag: 'hr' })) },
        }),
      ),
    ).toBe(300305)
    expect((await stage.call('POST', '/cardkit/v1/cards', { type: 'card', data: '{}' })).code).toBe(10002)
  })

  it('can be sent once, and is not updated by the message API', async () => {
    const id = await create()
    const messageId = await show(id)
    const again = await stage.send(stage.group, 'interactive', { type: 'card', data: { card_id: id } })
    expect([again.code, again.msg.includes('300120')]).toEqual([230099, true])
    expect(
      (await stage.call('PATCH', `/im/v1/messages/${messageId}`, { content: JSON.stringify(base) })).code,
    ).toBe(230001)
  })

  it('inserts, replaces, patches and deletes elements, alone and as a batch', async () => {
    const id = await create()
    const messageId = await show(id)
    const at = `/cardkit/v1/cards/${id}`
    const text = (content: string, element_id: string): string =>
      JSON.stringify({ tag: 'markdown', content, element_id })
    const insert = { type: 'insert_before', target_element_id: 'line', elements: `[${text('two', 'b')}]` }
    expect((await stage.call('POST', `${at}/elements`, { ...insert, sequence: 1 })).code).toBe(0)
    expect(
      (
        await stage.call('POST', `${at}/elements`, {
          type: 'append',
          elements: `[${text('three', 'c')}]`,
          sequence: 2,
        })
      ).code,
    ).toBe(0)
    expect(
      (await stage.call('PUT', `${at}/elements/answer`, { element: text('one', 'answer'), sequence: 3 }))
        .code,
    ).toBe(0)
    expect(
      (await stage.call('PATCH', `${at}/elements/b`, { partial_element: '{"content":"zwei"}', sequence: 4 }))
        .code,
    ).toBe(0)
    expect(
      (await stage.call('PATCH', `${at}/elements/b`, { partial_element: '{"tag":"hr"}', sequence: 5 })).code,
    ).toBe(300312)
    expect((await stage.call('DELETE', `${at}/elements/line`, { sequence: 5 })).code).toBe(0)
    expect(stage.control.message(messageId)?.text).toBe('one\nzwei\nthree')
    const actions = [
      { action: 'delete_elements', params: { element_ids: ['b'] } },
      { action: 'partial_update_element', params: { element_id: 'c', partial_element: { content: 'drei' } } },
      { action: 'partial_update_setting', params: { settings: { config: { streaming_mode: false } } } },
    ]
    expect(
      (await stage.call('POST', `${at}/batch_update`, { actions: JSON.stringify(actions), sequence: 6 }))
        .code,
    ).toBe(0)
    expect(stage.control.message(messageId)).toMatchObject({ text: 'one\ndrei', card: { streaming: false } })
    const whole = { schema: '2.0', body: { elements: [{ tag: 'markdown', content: 'new' }] } }
    expect(
      (await stage.call('PUT', at, { card: { type: 'card_json', data: JSON.stringify(whole) }, sequence: 7 }))
        .code,
    ).toBe(0)
    expect(stage.control.message(messageId)?.text).toBe('new')
  })

  it('changes nothing when an operation would break the card', async () => {
    const id = await create()
    const messageId = await show(id)
    const bad = { type: 'append', elements: '[{"tag":"note"}]', sequence: 1 }
    expect((await stage.call('POST', `/cardkit/v1/cards/${id}/elements`, bad)).code).toBe(200220)
    expect(stage.control.message(messageId)?.card?.sequence).toBe(0)
    expect(await stream(id, 'fine', 1)).toBe(0)
  })

  it('allows ten operations a second on a card, unless exempt', async () => {
    stage.control.configure({ rateLimits: true })
    const id = await create()
    for (let n = 1; n <= 10; n++) expect(await stream(id, `${n}`, n)).toBe(0)
    expect(await stream(id, '11', 11)).toBe(99991400)
    stage.control.configure({ cardkitRateExempt: true })
    expect(await stream(id, '11', 11)).toBe(0)
  })
})
