import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ModelProfile } from '../../../src/config/schema.ts'
import { createModel } from '../../../src/model/index.ts'
import type { ModelMessage } from '../../../src/protocol/model.ts'
import { createHastyClock, modelDeps, read, request, user } from '../../support/model-request.ts'

const KEY = 'sk-secret-0123456789'
const mock = new LLMock({ port: 0 })

beforeAll(async () => {
  mock.onMessage('hello', { content: '你好，世界', usage: { prompt_tokens: 12, completion_tokens: 3 } })
  mock.onMessage('weather', {
    toolCalls: [
      { name: 'weather', arguments: '{"city":"北京"}', id: 'call_a' },
      { name: 'weather', arguments: '{"city":"上海"}', id: 'call_b' },
    ],
  })
  mock.onMessage('think', { content: 'answer', reasoning: 'because' })
  mock.onMessage(
    'cut',
    { content: 'one two three four five six seven' },
    { chunkSize: 4, latency: 20, truncateAfterChunks: 6 },
  )
  mock.onMessage('slow', { content: 'a b c d e f g h' }, { chunkSize: 1, latency: 5_000 })
  mock.onMessage('busy', {
    error: { message: 'slow down', type: 'rate_limit_error' },
    status: 429,
    retryAfter: 7,
  })
  await mock.start()
})
afterAll(() => mock.stop())
beforeEach(() => {
  mock.clearRequests()
})

const common = { apiKey: KEY, model: 'm-1', contextTokens: 50_000, maxOutputTokens: 500, images: true }
const PROFILES: readonly [string, () => ModelProfile][] = [
  ['openai', () => ({ ...common, protocol: 'openai', baseUrl: `${mock.url}/v1`, extra: {} })],
  ['anthropic', () => ({ ...common, protocol: 'anthropic', baseUrl: mock.url })],
]

describe.each(PROFILES)('model over %s', (_name, profile) => {
  const model = (deps = modelDeps()) => createModel('main', profile(), deps)

  it('streams text and ends with done', async () => {
    const { events, text, error } = await read(model(), request([user('hello')]))
    expect(error).toBeUndefined()
    expect(text).toBe('你好，世界')
    expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'end' })
    expect(events.filter((event) => event.type === 'done')).toHaveLength(1)
  })

  it('gives whole tool calls in order', async () => {
    const tools = [
      { name: 'weather', description: 'the weather', parameters: { type: 'object', properties: {} } },
    ]
    const { events } = await read(model(), request([user('weather')], { tools }))
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))
    expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
      ['weather', { city: '北京' }],
      ['weather', { city: '上海' }],
    ])
    expect(new Set(calls.map((call) => call.id)).size).toBe(2)
    expect(events.at(-1)).toMatchObject({ stop: 'tool_calls' })
  })

  it('gives reasoning apart from the text', async () => {
    const { events, text } = await read(model(), request([user('think')]))
    expect(text).toBe('answer')
    expect(events.find((event) => event.type === 'reasoning')).toMatchObject({
      delta: expect.stringContaining('be'),
    })
  })

  it('R17: a stream that is cut is interrupted, and not tried again', async () => {
    const { text, error } = await read(model(), request([user('cut')]))
    expect(text.length).toBeGreaterThan(0)
    expect(error).toMatchObject({ code: 'model.interrupted' })
    expect(mock.getRequests()).toHaveLength(1)
  })

  it('R17: waits as long as Retry-After says, then gives up within the total budget', async () => {
    const clock = createHastyClock()
    const { events, error } = await read(model(modelDeps({ clock })), request([user('busy')]))
    expect(clock.slept).toEqual([7_000, 7_000, 7_000, 7_000])
    expect(events).toEqual(Array(4).fill({ type: 'retry', code: 'model.rate_limited', waitMs: 7_000 }))
    expect(error).toMatchObject({ code: 'model.rate_limited', retryAfterMs: 7_000 })
    expect(mock.getRequests()).toHaveLength(5)
  })

  it('an abort ends the stream at once with the reason', async () => {
    const controller = new AbortController()
    const reading = read(model(), request([user('slow')]), controller.signal)
    setTimeout(() => controller.abort(new Error('stop')), 50)
    expect((await reading).error).toEqual(new Error('stop'))
  })

  it('K: no key in any error', async () => {
    for (const text of ['busy', 'cut', 'nothing matches this']) {
      const { error } = await read(model(), request([user(text)]))
      expect(error).toBeInstanceOf(Error)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(KEY)
      expect(String(error instanceof Error ? error.stack : '')).not.toContain(KEY)
    }
  })

  it('takes a whole conversation with tools, pictures and lone surrogates', async () => {
    const messages: ModelMessage[] = [
      user('first \ud83d'),
      {
        role: 'assistant',
        text: '',
        toolCalls: [
          { id: 'a', name: 'look', arguments: '{"x":1}' },
          { id: 'b', name: 'look', arguments: '{"broken' },
        ],
      },
      {
        role: 'tool',
        callId: 'a',
        name: 'look',
        content: [
          { type: 'text', text: 'A' },
          { type: 'image', mime: 'image/png', base64: 'aGk=' },
        ],
        isError: false,
      },
      { role: 'tool', callId: 'b', name: 'look', content: [{ type: 'text', text: 'B' }], isError: true },
      user('hello'),
    ]
    const { text, error } = await read(model(), request(messages))
    expect(error).toBeUndefined()
    expect(text).toBe('你好，世界')
    expect(JSON.stringify(mock.getRequests()[0]?.body)).not.toContain('\\ud83d')
  })
})
