import { describe, expect, it } from 'vitest'
import type { ModelProfile } from '../../../src/config/schema.ts'
import { createModel } from '../../../src/model/index.ts'
import { createManualClock } from '../../support/clock.ts'
import { createHastyClock, modelDeps, read, request, user } from '../../support/model-request.ts'
import { json, type ModelServer, sse, startModelServer } from '../../support/model-server.ts'

const profile = (server: ModelServer, more: Partial<Extract<ModelProfile, { protocol: 'openai' }>> = {}) =>
  ({
    protocol: 'openai' as const,
    baseUrl: `${server.url}/v1`,
    apiKey: 'k-0123',
    model: 'm',
    contextTokens: 10_000,
    maxOutputTokens: 500,
    images: true,
    extra: {},
    ...more,
  }) satisfies ModelProfile

const delta = (content: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: content, finish_reason: finish }],
})
const calls = (...deltas: object[]): object => delta({ tool_calls: deltas })
const DONE = '[DONE]'

describe('stream of a model', () => {
  it('R17: tries again after 500 and 529, then answers once', async () => {
    await using server = await startModelServer(
      json(500, { error: { message: 'oops' } }),
      json(529, { error: { message: 'overloaded' } }),
      sse([delta({ content: 'fine' }), delta({}, 'stop'), DONE]),
    )
    const clock = createHastyClock()
    const { events, text } = await read(
      createModel('main', profile(server), modelDeps({ clock })),
      request([user('x')]),
    )
    expect(text).toBe('fine')
    expect(events.map((event) => event.type)).toEqual(['retry', 'retry', 'text', 'done'])
    expect(clock.slept[0]).toBeGreaterThanOrEqual(750)
    expect(clock.slept[0]).toBeLessThanOrEqual(1_250)
    expect(clock.slept[1]).toBeGreaterThanOrEqual(1_500)
  })

  it('R17: does not start a try that a Retry-After puts beyond the total budget', async () => {
    await using server = await startModelServer(
      json(429, { error: { message: 'x' } }, { 'retry-after': '3600' }),
    )
    const clock = createHastyClock()
    const { error } = await read(
      createModel('main', profile(server), modelDeps({ clock })),
      request([user('x')]),
    )
    expect(error).toMatchObject({ code: 'model.rate_limited', retryAfterMs: 3_600_000 })
    expect(clock.slept).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  it('R17: an unreachable server is unavailable and names the profile', async () => {
    const server = await startModelServer(json(200, {}))
    await server[Symbol.asyncDispose]()
    const { error } = await read(createModel('main', profile(server), modelDeps()), request([user('x')]))
    expect(error).toMatchObject({ code: 'model.unavailable', params: { profile: 'main' } })
  })

  it('K: follows no redirect, which would carry the key elsewhere', async () => {
    await using other = await startModelServer(sse([delta({ content: 'stolen' }, 'stop'), DONE]))
    await using server = await startModelServer((response) => {
      response.writeHead(307, { location: `${other.url}/v1/chat/completions` })
      response.end()
    })
    const model = createModel('main', profile(server), modelDeps({ retry: { attempts: 1 } }))
    const { error } = await read(model, request([user('x')]))
    expect(error).toMatchObject({ code: 'model.unavailable' })
    expect(other.requests).toEqual([])
  })

  it('R17: 200 with an error body is that error', async () => {
    await using server = await startModelServer(
      json(200, { error: { code: '401', message: 'token expired' } }),
    )
    const { error } = await read(createModel('main', profile(server), modelDeps()), request([user('x')]))
    expect(error).toMatchObject({ code: 'model.auth' })
  })

  it('R17: an error event as the first of a 200 stream is classified, not called an interruption', async () => {
    const body = { error: { message: "This model's maximum context length is 100 tokens" } }
    await using server = await startModelServer(sse([body]))
    const { error } = await read(createModel('main', profile(server), modelDeps()), request([user('x')]))
    expect(error).toMatchObject({ code: 'model.overflow' })
  })

  it('R17 R34: nothing for 120 s before the first byte is silence; the request is aborted and retried once', async () => {
    await using server = await startModelServer(() => undefined)
    const clock = createManualClock()
    const model = createModel('main', profile(server), modelDeps({ clock, retry: { attempts: 2 } }))
    const reading = read(model, request([user('x')]))
    while (server.requests.length < 1) await clock.advance(0)
    await clock.advance(120_000)
    await server.aborted
    await clock.advance(2_000)
    while (server.requests.length < 2) await clock.advance(0)
    await clock.advance(120_000)
    const { error, events } = await reading
    expect(events).toMatchObject([{ type: 'retry', code: 'model.silent' }])
    expect(error).toMatchObject({ code: 'model.silent', params: { seconds: 120 } })
  })

  it('R17: silence in the middle of an answer ends it', async () => {
    await using server = await startModelServer(sse([delta({ content: 'half' })], 'open'))
    const clock = createManualClock()
    const model = createModel('main', profile(server), modelDeps({ clock }))
    const stream = model.stream(request([user('x')]), new AbortController().signal)[Symbol.asyncIterator]()
    expect(await stream.next()).toEqual({ done: false, value: { type: 'text', delta: 'half' } })
    const next = expect(stream.next()).rejects.toMatchObject({ code: 'model.silent' })
    await clock.advance(119_999)
    await clock.advance(1)
    await next
  })

  it('an answer without a finish reason was cut', async () => {
    await using server = await startModelServer(sse([delta({ content: 'half' })]))
    const { error } = await read(createModel('main', profile(server), modelDeps()), request([user('x')]))
    expect(error).toMatchObject({ code: 'model.interrupted', params: { profile: 'main' } })
  })

  it('joins tool deltas by index, takes arguments as text or object, and survives missing fields', async () => {
    await using server = await startModelServer(
      sse([
        calls({ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }),
        calls({ index: 1, id: 'b', function: { name: 'two', arguments: '' } }),
        calls({ index: 0, function: { arguments: ':1}' } }, { index: 1, function: { arguments: '{"y":2}' } }),
        calls({ index: 2, id: 'c', function: { name: 'three', arguments: { z: 3 } } }),
        calls({ index: 2, id: 'd', function: { name: 'four', arguments: '{}' } }),
        { choices: [{ delta: { content: null, tool_calls: 'nonsense' }, finish_reason: 'tool_calls' }] },
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, prompt_cache_hit_tokens: 5 } },
        DONE,
      ]),
    )
    const { events } = await read(createModel('main', profile(server), modelDeps()), request([user('x')]))
    expect(events.filter((event) => event.type !== 'progress')).toEqual([
      { type: 'tool_call', call: { id: 'a', name: 'one', arguments: '{"x":1}' } },
      { type: 'tool_call', call: { id: 'b', name: 'two', arguments: '{"y":2}' } },
      { type: 'tool_call', call: { id: 'c', name: 'three', arguments: '{"z":3}' } },
      { type: 'tool_call', call: { id: 'd', name: 'four', arguments: '{}' } },
      { type: 'done', stop: 'tool_calls', usage: { inputTokens: 9, outputTokens: 4, cachedTokens: 5 } },
    ])
  })

  it('sends what the operator asked for: extra fields, no key for a local server, pictures or a line', async () => {
    await using server = await startModelServer(sse([delta({ content: 'ok' }, 'stop'), DONE]))
    const local = profile(server, { apiKey: '', extra: { thinking: { type: 'disabled' } }, images: false })
    const picture = { type: 'image' as const, mime: 'image/png', base64: 'aGk=' }
    await read(createModel('main', local, modelDeps()), request([{ role: 'user', content: [picture] }]))
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'system text' },
        { role: 'user', content: '[a picture is left out: this model takes no pictures]' },
      ],
      max_tokens: 500,
      thinking: { type: 'disabled' },
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
  })

  it('puts pictures of results after the results, in one user message', async () => {
    await using server = await startModelServer(sse([delta({ content: 'ok' }, 'stop'), DONE]))
    const content = [
      { type: 'text' as const, text: 'seen' },
      { type: 'image' as const, mime: 'image/png', base64: 'aGk=' },
    ]
    const messages = [
      user('x'),
      {
        role: 'assistant' as const,
        text: '',
        reasoning: 'why',
        toolCalls: [
          { id: 'a', name: 'shot', arguments: '{}' },
          { id: 'b', name: 'shot', arguments: '' },
        ],
      },
      { role: 'tool' as const, callId: 'a', name: 'shot', content, isError: false },
      { role: 'tool' as const, callId: 'b', name: 'shot', content: content.slice(0, 1), isError: false },
    ]
    await read(createModel('main', profile(server), modelDeps()), request(messages))
    const sent: { messages: object[] } = JSON.parse(server.requests[0]?.body ?? '')
    expect(sent.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'why',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'shot', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'shot', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'seen' },
      { role: 'tool', tool_call_id: 'b', content: 'seen' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Pictures of the results above:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
    ])
  })
})
