import { describe, expect, it } from 'vitest'
import { createModel } from '../../../src/model/index.ts'
import type { ModelMessage } from '../../../src/protocol/model.ts'
import { modelDeps, read, request, user } from '../../support/model-request.ts'
import { sse, startModelServer } from '../../support/model-server.ts'

const ANSWER = [
  {
    type: 'message_start',
    message: { usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'ok' } },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 't1', name: 'look', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"x":' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
  { type: 'something_new', index: 3 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
]

const HISTORY: readonly ModelMessage[] = [
  user('first'),
  user('second'),
  {
    role: 'assistant',
    text: ' \n',
    reasoning: 'why',
    reasoningSignature: 'sig',
    toolCalls: [
      { id: 'a', name: 'look', arguments: '{"x":1}' },
      { id: 'b', name: 'look', arguments: '' },
    ],
  },
  {
    role: 'tool',
    callId: 'a',
    name: 'look',
    content: [
      { type: 'text', text: 'A' },
      { type: 'image', mime: 'image/png', base64: 'aGk=' },
      { type: 'image', mime: 'image/bmp', base64: 'aGk=' },
    ],
    isError: false,
  },
  { role: 'tool', callId: 'b', name: 'look', content: [{ type: 'text', text: '' }], isError: true },
  user('third'),
]

describe('anthropic request', () => {
  it('merges turns, puts results first, and marks system, last tool and last block for the cache', async () => {
    await using server = await startModelServer(sse(ANSWER))
    const profile = {
      protocol: 'anthropic' as const,
      baseUrl: server.url,
      apiKey: 'k',
      model: 'm',
      contextTokens: 10_000,
      maxOutputTokens: 500,
      images: true,
    }
    const tools = ['one', 'two'].map((name) => ({ name, description: name, parameters: { type: 'object' } }))
    const { events } = await read(createModel('c', profile, modelDeps()), request(HISTORY, { tools }))
    const cache_control = { type: 'ephemeral' }
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      model: 'm',
      max_tokens: 500,
      system: [{ type: 'text', text: 'system text', cache_control }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'first' },
            { type: 'text', text: 'second' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'why', signature: 'sig' },
            { type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } },
            { type: 'tool_use', id: 'b', name: 'look', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                { type: 'text', text: 'A' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
                { type: 'text', text: '[a picture of type image/bmp is left out: the model cannot read it]' },
              ],
            },
            { type: 'tool_result', tool_use_id: 'b', content: [], is_error: true },
            { type: 'text', text: 'third', cache_control },
          ],
        },
      ],
      tools: [
        { name: 'one', description: 'one', input_schema: { type: 'object' } },
        { name: 'two', description: 'two', input_schema: { type: 'object' }, cache_control },
      ],
      stream: true,
    })
    expect(events.filter((event) => event.type !== 'progress')).toEqual([
      { type: 'reasoning', delta: 'hm' },
      { type: 'reasoning', delta: '', signature: 'sig' },
      { type: 'text', delta: 'ok' },
      { type: 'tool_call', call: { id: 't1', name: 'look', arguments: '{"x":1}' } },
      { type: 'done', stop: 'tool_calls', usage: { inputTokens: 100, outputTokens: 7, cachedTokens: 90 } },
    ])
  })
})
