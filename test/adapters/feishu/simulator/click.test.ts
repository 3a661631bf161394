import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { openStage, type Stage, until } from './stage.ts'

const button = (label: string, rest = {}): object => ({
  tag: 'button',
  text: { tag: 'plain_text', content: label },
  behaviors: [{ type: 'callback', value: { op: label, id: 'n1' } }],
  ...rest,
})
const card = (elements: object[], config = {}): { schema: string; config: object; body: object } => ({
  schema: '2.0',
  config,
  body: { elements },
})

describe('clicks', () => {
  let stage: Stage
  let server: Server | undefined
  afterEach(async () => {
    server?.closeAllConnections()
    server?.close()
    server = undefined
    await stage.close()
  })

  const show = async (content: object): Promise<string> => {
    const sent = await stage.send(stage.group, 'interactive', content)
    expect(sent.code).toBe(0)
    return String(sent.data['message_id'])
  }
  const answerWith = async (answer: unknown): Promise<unknown[]> => {
    const heard: unknown[] = []
    await stage.connect({
      'card.action.trigger': (data) => {
        heard.push(data)
        return answer
      },
    })
    return heard
  }

  it('brings value, operator and place to the handler and shows its toast and card', async () => {
    stage = await openStage()
    const decided = card([{ tag: 'markdown', content: 'decided' }])
    const heard = await answerWith({
      toast: { type: 'success', content: '已批准' },
      card: { type: 'raw', data: decided },
    })
    const messageId = await show(card([button('Approve'), button('Deny')]))
    const outcome = await stage.control.click({ userId: stage.ann, messageId, on: 'Approve' })
    expect(outcome).toMatchObject({ toast: { type: 'success', content: '已批准' }, card: decided })
    expect(stage.control.message(messageId)?.text).toBe('decided')
    expect(heard).toMatchObject([
      {
        event_type: 'card.action.trigger',
        operator: { open_id: stage.control.openId(stage.ann, stage.app.appId) },
        action: { tag: 'button', value: { op: 'Approve', id: 'n1' } },
        context: { open_message_id: messageId, open_chat_id: stage.group },
      },
    ])
  })

  it('feishu 28: a submitted form delivers what was typed and chosen', async () => {
    stage = await openStage()
    const heard = await answerWith({})
    const select = {
      tag: 'select_static',
      name: 'scope',
      initial_option: 'once',
      options: ['once', 'session'].map((value) => ({ text: { tag: 'plain_text', content: value }, value })),
    }
    const input = { tag: 'input', name: 'reason', required: true }
    const submit = button('Approve', { name: 'ok', form_action_type: 'submit' })
    const messageId = await show(card([{ tag: 'form', name: 'f', elements: [input, select, submit] }]))
    const click = (form: Record<string, unknown>): Promise<unknown> =>
      stage.control.click({ userId: stage.bo, messageId, on: 'ok', form })
    expect(await click({ reason: 'needed' })).toMatchObject({ eventId: expect.any(String) })
    expect(heard).toMatchObject([{ action: { name: 'ok', form_value: { reason: 'needed', scope: 'once' } } }])
    await expect(click({})).rejects.toThrow('asks for reason')
    await expect(click({ reason: 'x', scope: 'forever' })).rejects.toThrow('no option')
    await expect(click({ reason: 'x', other: '1' })).rejects.toThrow('no component named other')
  })

  it('feishu 28: with forms checked at the click, a nameless component shows 200530', async () => {
    stage = await openStage({ settings: { formCheckedAt: 'click' } })
    await answerWith({})
    const submit = button('Go', { form_action_type: 'submit' })
    const messageId = await show(card([{ tag: 'form', name: 'f', elements: [submit] }]))
    expect(await stage.control.click({ userId: stage.ann, messageId, on: 'Go' })).toEqual({ code: 200530 })
  })

  it('cannot press what is disabled, missing, foreign or recalled', async () => {
    stage = await openStage()
    const messageId = await show(card([button('Old', { disabled: true })]))
    const stranger = stage.control.createUser({ name: 'Zoe' }).userId
    await expect(stage.control.click({ userId: stage.ann, messageId, on: 'Old' })).rejects.toThrow('disabled')
    await expect(stage.control.click({ userId: stage.ann, messageId, on: 'New' })).rejects.toThrow(
      'no component',
    )
    await expect(stage.control.click({ userId: stranger, messageId, on: 'Old' })).rejects.toThrow(
      'not in the chat',
    )
    await stage.call('DELETE', `/im/v1/messages/${messageId}`)
    await expect(stage.control.click({ userId: stage.ann, messageId, on: 'Old' })).rejects.toThrow('no card')
  })

  it('shows 200340 without callback configuration, unpublished, or with nobody connected', async () => {
    stage = await openStage()
    const messageId = await show(card([button('Go')]))
    const click = (): Promise<unknown> =>
      stage.control.click({ userId: stage.ann, messageId, on: { op: 'Go' } })
    expect(await click()).toMatchObject({ code: 200340 })
    await answerWith({})
    expect(await click()).not.toHaveProperty('code')
    stage.control.updateApp(stage.app.appId, { callbackMode: 'none' })
    expect(await click()).toEqual({ code: 200340 })
    stage.control.updateApp(stage.app.appId, { callbackMode: 'ws', published: false })
    expect(await click()).toEqual({ code: 200340 })
  })

  it('shows 200341 after three seconds, without a second try', async () => {
    stage = await openStage()
    const heard: unknown[] = []
    await stage.connect({
      'card.action.trigger': (data) => {
        heard.push(data)
        return new Promise(() => undefined)
      },
    })
    const messageId = await show(card([button('Go')]))
    const click = stage.control.click({ userId: stage.ann, messageId, on: 'Go' })
    await until(() => heard.length === 1)
    await stage.clock.advance(3000)
    expect(await click).toMatchObject({ code: 200341 })
    await stage.clock.advance(86_400_000)
    expect(heard).toHaveLength(1)
  })

  it('sends the click as a card frame when set so, which the SDK drops', async () => {
    stage = await openStage({ settings: { cardFrameType: 'card' } })
    const heard = await answerWith({})
    const messageId = await show(card([button('Go')]))
    const click = stage.control.click({ userId: stage.ann, messageId, on: 'Go' })
    await stage.clock.advance(3000)
    expect([await click, heard]).toMatchObject([{ code: 200341 }, []])
  })

  it.each([
    ['a card of another schema', { card: { type: 'raw', data: { elements: [] } } }, 200830],
    ['a card that is no valid card', { card: { type: 'raw', data: card([{ tag: 'note' }]) } }, 200673],
    ['a template that does not exist', { card: { type: 'template', data: { template_id: 'x' } } }, 200673],
    ['an unknown toast', { toast: { type: 'party', content: 'x' } }, 200672],
    ['something that is no object', 'hello', 200672],
  ])('shows a number for %s', async (_, answer, code) => {
    stage = await openStage()
    await answerWith(answer)
    const messageId = await show(card([button('Go')]))
    expect(await stage.control.click({ userId: stage.ann, messageId, on: 'Go' })).toMatchObject({ code })
  })

  it('shows 200671, 200672 and 200342 for what a webhook does wrong', async () => {
    stage = await openStage({ app: { eventMode: 'webhook', webhookUrl: 'http://127.0.0.1:1/' } })
    const messageId = await show(card([button('Go')]))
    const click = (): Promise<unknown> => stage.control.click({ userId: stage.ann, messageId, on: 'Go' })
    expect(await click()).toMatchObject({ code: 200342 })
    const answers = [
      { status: 500, body: '' },
      { status: 200, body: 'oops' },
      { status: 200, body: '' },
      { status: 200, body: '{"toast":{"content":"ok"}}' },
    ]
    server = createServer((_, response) => {
      const next = answers.shift()
      response.writeHead(next?.status ?? 500).end(next?.body)
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    stage.control.updateApp(stage.app.appId, {
      webhookUrl: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    })
    expect(await click()).toMatchObject({ code: 200671 })
    expect(await click()).toMatchObject({ code: 200672 })
    expect(await click()).toEqual({ eventId: expect.any(String) })
    expect(await click()).toMatchObject({ toast: { type: 'info', content: 'ok' } })
  })

  it('takes a delayed update twice within half an hour, after the answer', async () => {
    stage = await openStage({ settings: { rateLimits: false } })
    const heard: { token: string }[] = []
    let during = 0
    const update = async (token: string): Promise<number> =>
      (await stage.call('POST', '/interactive/v1/card/update', { token, card: card([button('Later')]) })).code
    await stage.connect({
      'card.action.trigger': async (data: { token: string }) => {
        heard.push(data)
        if (heard.length === 1) during = await update(data.token)
      },
    })
    const messageId = await show(card([button('Later')]))
    const click = (): Promise<unknown> => stage.control.click({ userId: stage.ann, messageId, on: 'Later' })
    await click()
    const token = heard[0]?.token ?? ''
    expect([
      during,
      await update(token),
      await update(token),
      await update(token),
      await update('c-x'),
      await update('x'),
    ]).toEqual([300090, 0, 0, 300040, 300020, 300020])
    await click()
    await stage.clock.advance(30 * 60_000)
    expect(await update(heard[1]?.token ?? '')).toBe(300030)
  })

  it('does not replace a streaming card by the answer', async () => {
    stage = await openStage()
    await answerWith({ card: { type: 'raw', data: card([{ tag: 'markdown', content: 'new' }]) } })
    const made = await stage.call('POST', '/cardkit/v1/cards', {
      type: 'card_json',
      data: JSON.stringify(card([button('Go')], { streaming_mode: true })),
    })
    const messageId = await show({ type: 'card', data: { card_id: made.data['card_id'] } })
    expect(await stage.control.click({ userId: stage.ann, messageId, on: 'Go' })).not.toHaveProperty('card')
    expect(stage.control.message(messageId)?.text).toBe('[Go]')
  })

  it('sends what single components choose, and only follows links', async () => {
    stage = await openStage()
    const heard = await answerWith({})
    const select = {
      tag: 'select_static',
      element_id: 'pick',
      options: [],
      behaviors: [{ type: 'callback', value: { s: '1' } }],
    }
    const link = button('Docs', { behaviors: [{ type: 'open_url', default_url: 'https://example.com' }] })
    const messageId = await show(card([select, link]))
    await stage.control.click({ userId: stage.ann, messageId, on: 'pick', option: 'a' })
    expect(await stage.control.click({ userId: stage.ann, messageId, on: 'Docs' })).toEqual({})
    expect(heard).toMatchObject([{ action: { tag: 'select_static', option: 'a', value: { s: '1' } } }])
  })
})
