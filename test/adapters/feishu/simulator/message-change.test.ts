import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStage, type Stage } from './stage.ts'

const dayMs = 86_400_000

describe('edit, card update, recall, reactions and reading', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage({ settings: { rateLimits: false } })
  })
  afterEach(() => stage.close())

  const sendId = async (type: string, content: unknown): Promise<string> => {
    const sent = await stage.send(stage.group, type, content)
    expect(sent.code).toBe(0)
    return String(sent.data['message_id'])
  }
  const put = async (id: string, type: string, content: unknown): Promise<number> =>
    (await stage.call('PUT', `/im/v1/messages/${id}`, { msg_type: type, content: JSON.stringify(content) }))
      .code
  const patch = async (id: string, card: unknown): Promise<number> =>
    (await stage.call('PATCH', `/im/v1/messages/${id}`, { content: JSON.stringify(card) })).code
  const remove = async (id: string): Promise<number> =>
    (await stage.call('DELETE', `/im/v1/messages/${id}`)).code
  const card = (text: string, config = {}): object => ({
    schema: '2.0',
    config,
    body: { elements: [{ tag: 'markdown', content: text }] },
  })

  it('edits own text twenty times within a day, and nobody else’s', async () => {
    const id = await sendId('text', { text: 'v0' })
    const theirs = stage.control.say(stage.group, stage.ann, 'x')
    expect(await put(theirs, 'text', { text: 'y' })).toBe(230071)
    for (let n = 1; n <= 20; n++) expect(await put(id, 'text', { text: `v${n}` })).toBe(0)
    expect(await put(id, 'text', { text: 'v21' })).toBe(230072)
    expect(stage.control.message(id)).toMatchObject({ text: 'v20', edits: 20 })
    const old = await sendId('text', { text: 'old' })
    await stage.clock.advance(dayMs + 1)
    expect(await put(old, 'text', { text: 'new' })).toBe(230075)
    expect(await put(old, 'interactive', {})).toBe(99992402)
  })

  it('answers the edit of a card with success and changes nothing', async () => {
    const id = await sendId('interactive', card('a'))
    expect(await put(id, 'text', { text: 'b' })).toBe(0)
    expect(stage.control.message(id)?.text).toBe('a')
  })

  it('updates own shared cards of the same schema for 14 days', async () => {
    const id = await sendId('interactive', card('a'))
    expect(await patch(id, card('b'))).toBe(0)
    expect(stage.control.message(id)).toMatchObject({ text: 'b', edits: 1 })
    expect(await patch(id, { elements: [], config: { update_multi: true } })).toBe(230099)
    expect(await patch(id, card('字'.repeat(10_300)))).toBe(230025)
    expect(await patch(await sendId('text', { text: 'x' }), card('b'))).toBe(230001)
    const alone = await sendId('interactive', { elements: [] })
    expect(await patch(alone, { elements: [], config: { update_multi: true } })).toBe(230099)
    await stage.clock.advance(14 * dayMs + 1)
    expect(await patch(id, card('c'))).toBe(230031)
  })

  it('allows five updates a second of one message', async () => {
    const id = await sendId('interactive', card('a'))
    stage.control.configure({ rateLimits: true })
    for (let n = 0; n < 5; n++) expect(await patch(id, card(`${n}`))).toBe(0)
    expect(await patch(id, card('6'))).toBe(230020)
  })

  it('recalls own messages within the window, and nothing twice', async () => {
    const id = await sendId('text', { text: 'x' })
    const theirs = stage.control.say(stage.group, stage.ann, 'y')
    expect(await remove(theirs)).toBe(230026)
    expect(await remove(id)).toBe(0)
    expect(await remove(id)).toBe(230011)
    expect(await patch(id, card('z'))).toBe(230011)
    expect(stage.control.message(id)?.recalled).toBe(true)
    const late = await sendId('text', { text: 'late' })
    await stage.clock.advance(dayMs + 1)
    expect(await remove(late)).toBe(230009)
  })

  it('reads a message, its card in lossy and full form, and a bundle with what is in it', async () => {
    const inner = stage.control.say(stage.group, stage.ann, 'inside')
    const nested = stage.control.forwardBundle(stage.group, stage.ann, [inner])
    const outer = stage.control.forwardBundle(stage.group, stage.bo, [inner, nested])
    const opened = await stage.client().im.v1.message.get({ path: { message_id: outer } })
    const items = opened.data?.items ?? []
    expect(items.map((one) => one.msg_type)).toEqual(['merge_forward', 'text', 'merge_forward', 'text'])
    expect(items.map((one) => one.upper_message_id)).toEqual([undefined, outer, outer, items[2]?.message_id])
    const id = await sendId('interactive', card('**bold**'))
    const content = async (query: string): Promise<unknown> => {
      const answer = await stage.call('GET', `/im/v1/messages/${id}${query}`)
      return JSON.parse(
        JSON.stringify(answer.data['items']).match(/"content":("(?:[^"\\]|\\.)*")/)?.[1] ?? '""',
      )
    }
    expect(await content('')).toBe('{"title":"","elements":[[{"tag":"text","text":"**bold**"}]]}')
    expect(await content('?card_msg_content_type=user_card_content')).toBe(JSON.stringify(card('**bold**')))
    expect((await stage.call('GET', '/im/v1/messages/om_none')).code).toBe(231003)
    stage.control.removeBot(stage.group, stage.app.appId)
    expect((await stage.call('GET', `/im/v1/messages/${id}`)).code).toBe(230002)
  })

  it('lists history by pages for bots that may read everything', async () => {
    for (let n = 0; n < 5; n++) stage.control.say(stage.group, stage.ann, `${n}`)
    const list = (query: string): Promise<{ code: number; data: Record<string, unknown> }> =>
      stage.call('GET', `/im/v1/messages?container_id_type=chat&container_id=${stage.group}${query}`)
    expect((await list('')).code).toBe(230027)
    stage.control.updateApp(stage.app.appId, { scopes: ['im:message', 'im:message.group_msg'] })
    const first = await list('&page_size=2')
    expect([first.data['has_more'], first.data['page_token']]).toEqual([true, '2'])
    const last = await list('&page_size=2&page_token=4&sort_type=ByCreateTimeDesc')
    expect([
      last.data['has_more'],
      JSON.stringify(last.data['items']).includes('{\\"text\\":\\"0\\"}'),
    ]).toEqual([false, true])
    expect((await list('&page_size=51')).code).toBe(99992402)
    expect(
      (await stage.call('GET', '/im/v1/messages?container_id_type=thread&container_id=omt_x')).code,
    ).toBe(230019)
  })

  it('takes listed emoji only, and lets a bot remove only its own reaction', async () => {
    const id = stage.control.say(stage.group, stage.ann, 'x')
    const react = (emoji: string): Promise<{ code: number; data: Record<string, unknown> }> =>
      stage.call('POST', `/im/v1/messages/${id}/reactions`, { reaction_type: { emoji_type: emoji } })
    expect((await react('typing')).code).toBe(231001)
    const own = await react('Typing')
    expect((await react('Typing')).data['reaction_id']).toBe(own.data['reaction_id'])
    stage.control.react(id, stage.bo, 'SMILE')
    expect(stage.control.message(id)?.reactions).toEqual([
      { emoji: 'Typing', by: ['Agent'] },
      { emoji: 'SMILE', by: ['Bo'] },
    ])
    const list = await stage.call('GET', `/im/v1/messages/${id}/reactions`)
    const theirs = JSON.stringify(list.data['items']).match(
      /"reaction_id":"([^"]+)","operator":\{"operator_id":"ou_/,
    )?.[1]
    const drop = async (reaction: unknown): Promise<number> =>
      (await stage.call('DELETE', `/im/v1/messages/${id}/reactions/${String(reaction)}`)).code
    expect(await drop(theirs)).toBe(231007)
    expect(await drop('none')).toBe(231010)
    expect(await drop(own.data['reaction_id'])).toBe(0)
    stage.control.removeBot(stage.group, stage.app.appId)
    expect((await react('OK')).code).toBe(231002)
  })
})
