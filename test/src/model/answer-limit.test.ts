import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { ModelProfile } from '../../../src/config/schema.ts'
import { createModel } from '../../../src/model/index.ts'
import { modelDeps, read, request, user } from '../../support/model-request.ts'
import { startModelServer } from '../../support/model-server.ts'

const LONG = 'x'.repeat(20_000)
const openai = (delta: object): object => ({ choices: [{ index: 0, delta, finish_reason: null }] })
const anthropic = (delta: object): object => ({ type: 'content_block_delta', index: 0, delta })
const call = {
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'tool_use', id: 'c', name: 'f' },
}

/** Writes the last of these for ever, as fast as it is read. */
function endless(status: number, type: string, ...texts: string[]): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': type })
    for (const text of texts) response.write(text)
    const pump = (): void => {
      while (!response.destroyed && response.write(texts.at(-1) ?? ''));
    }
    response.on('drain', pump)
    pump()
  }
}
const event = (one: object): string =>
  `${'type' in one ? `event: ${String(one.type)}\n` : ''}data: ${JSON.stringify(one)}\n\n`

async function ask(protocol: 'openai' | 'anthropic', handler: (response: ServerResponse) => void) {
  await using server = await startModelServer(handler)
  const baseUrl = protocol === 'openai' ? `${server.url}/v1` : server.url
  const common = { baseUrl, apiKey: 'k-0123', model: 'm', contextTokens: 10_000, images: true }
  const profile = { ...common, protocol, maxOutputTokens: 500, extra: {} } as ModelProfile
  const got = await read(createModel('main', profile, modelDeps()), request([user('x')]))
  await server.aborted
  return got
}

describe('R12: a provider that never ends', () => {
  it.each([
    ['a text over openai', 'openai', [openai({ content: LONG })], 200_000],
    ['a text over anthropic', 'anthropic', [anthropic({ type: 'text_delta', text: LONG })], 200_000],
    [
      'a call over openai',
      'openai',
      [openai({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: LONG } }] })],
      0,
    ],
    [
      'a call over anthropic',
      'anthropic',
      [call, anthropic({ type: 'input_json_delta', partial_json: LONG })],
      0,
    ],
    ['its thoughts over openai', 'openai', [openai({ reasoning_content: LONG.repeat(20) })], 0],
    [
      'its thoughts over anthropic',
      'anthropic',
      [anthropic({ type: 'thinking_delta', thinking: LONG.repeat(20) })],
      0,
    ],
  ] as const)(
    '%s is cut like at a limit of output, and let go of',
    async (_what, protocol, events, length) => {
      const {
        events: got,
        text,
        error,
      } = await ask(protocol, endless(200, 'text/event-stream', ...events.map(event)))
      expect(error).toBeUndefined()
      expect(got.at(-1)).toMatchObject({ type: 'done', stop: 'length' })
      expect(got.some(({ type }) => type === 'tool_call')).toBe(false)
      expect(text.length).toBe(length)
      // What was taken counts, although the provider never told it.
      const done = got.at(-1)
      expect(done?.type === 'done' && done.usage?.outputTokens).toBeGreaterThan(50_000)
    },
  )

  it.each([
    [400, 'application/json', 'model.bad_request'],
    [400, 'text/html', 'model.bad_request'],
    [200, 'application/json', 'model.interrupted'],
  ])('an error (%i, %s) is read as far as an error goes', async (status, type, code) => {
    const { error } = await ask('openai', endless(status, type, `{"error":{"message":"`, LONG))
    expect(error).toMatchObject({ code })
  })
})
