/** A model provider on loopback that answers by a script, streaming, in either wire format. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'

export interface Turn {
  /** Texts of the user messages of the request, oldest first, as the provider gets them. */
  readonly said: readonly string[]
  /** Texts of the tool results since the last user message. */
  readonly results: readonly string[]
  /** Names of the tools that are offered. */
  readonly tools: readonly string[]
}

export interface Reply {
  /** Pieces of the answer; each is written when it comes. */
  readonly text?: AsyncIterable<string> | Iterable<string>
  readonly calls?: readonly { readonly name: string; readonly args: object }[]
}

export interface Endpoint {
  /** `models:` section of `yizhan.yaml` with this endpoint as the default profile. */
  readonly yaml: string
  readonly turns: readonly Turn[]
  /** Forgets the turns so far. */
  forget(): void
  stop(): Promise<void>
}

export type WireFormat = 'openai' | 'anthropic'

/** Starts it. `script` decides each reply by what the provider was sent. */
export async function startEndpoint(format: WireFormat, script: (turn: Turn) => Reply): Promise<Endpoint> {
  const turns: Turn[] = []
  let calls = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const turn = (format === 'openai' ? openAiTurn : anthropicTurn)(await bodyOf(request))
    turns.push(turn)
    const reply = script(turn)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (event: Record<string, unknown>): void => {
      const name = format === 'anthropic' ? `event: ${String(event['type'])}\n` : ''
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
    }
    const ids = (reply.calls ?? []).map(() => `call_${++calls}`)
    await (format === 'openai' ? writeOpenAi : writeAnthropic)(reply, ids, write)
    response.end(format === 'openai' ? 'data: [DONE]\n\n' : undefined)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // A script that fails is a request that the provider refuses: the test's message says why.
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: String(error) } }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const baseUrl = format === 'openai' ? `${url}/v1` : url
  return {
    yaml: modelsYaml(format, { baseUrl, apiKey: 'sk-script', model: 'script-1' }),
    turns,
    forget: () => void turns.splice(0),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A `models:` section with one profile. */
export function modelsYaml(
  format: WireFormat,
  profile: { baseUrl: string; apiKey: string; model: string },
): string {
  return `models: { default: main, profiles: { main: ${JSON.stringify({ protocol: format, ...profile })} } }`
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
  return JSON.parse(body)
}

const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })),
])
const openAiBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: content.nullish() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
})
const anthropicBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
})

function openAiTurn(body: unknown): Turn {
  const { messages, tools } = openAiBody.parse(body)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const texts = (role: string, from: number): string[] =>
    messages.slice(from).flatMap((one) => (one.role === role ? [textOf(one.content)] : []))
  return {
    said: texts('user', 0),
    results: texts('tool', last + 1),
    tools: tools.map((tool) => tool.function.name),
  }
}

/** Results stand in user messages there, so what was said is what has text of its own. */
function anthropicTurn(body: unknown): Turn {
  const { messages, tools } = anthropicBody.parse(body)
  const said: string[] = []
  let results: string[] = []
  for (const message of messages) {
    if (message.role !== 'user') continue
    const parts = typeof message.content === 'string' ? [] : message.content
    for (const part of parts)
      if (part.type === 'tool_result') results.push(textOf(content.parse(part.content)))
    const text = textOf(message.content)
    if (text === '') continue
    said.push(text)
    results = []
  }
  return { said, results, tools: tools.map((tool) => tool.name) }
}

function textOf(value: z.output<typeof content> | null | undefined): string {
  if (typeof value === 'string') return value
  return (value ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('\n')
}

type Write = (event: Record<string, unknown>) => void

async function writeOpenAi(reply: Reply, ids: readonly string[], write: Write): Promise<void> {
  const chunk = (delta: object, finish: string | null = null): void =>
    write({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  for await (const text of reply.text ?? []) chunk({ role: 'assistant', content: text })
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const { name, args } = call
    chunk({ tool_calls: [{ index, id: ids[index], type: 'function', function: { name, arguments: '' } }] })
    for (const part of halves(JSON.stringify(args)))
      chunk({ tool_calls: [{ index, function: { arguments: part } }] })
  }
  chunk({}, ids.length > 0 ? 'tool_calls' : 'stop')
  write({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } })
}

async function writeAnthropic(reply: Reply, ids: readonly string[], write: Write): Promise<void> {
  const usage = { input_tokens: 100, output_tokens: 0 }
  write({
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'script-1', usage },
  })
  let index = 0
  const block = async (start: object, fill: (delta: (delta: object) => void) => Promise<void>) => {
    write({ type: 'content_block_start', index, content_block: start })
    await fill((delta) => write({ type: 'content_block_delta', index, delta }))
    write({ type: 'content_block_stop', index })
    index++
  }
  if (reply.text)
    await block({ type: 'text', text: '' }, async (delta) => {
      for await (const text of reply.text ?? []) delta({ type: 'text_delta', text })
    })
  for (const [at, { name, args }] of (reply.calls ?? []).entries())
    await block({ type: 'tool_use', id: ids[at], name, input: {} }, async (delta) => {
      for (const part of halves(JSON.stringify(args))) delta({ type: 'input_json_delta', partial_json: part })
    })
  write({
    type: 'message_delta',
    delta: { stop_reason: ids.length > 0 ? 'tool_use' : 'end_turn' },
    usage: { output_tokens: 20 },
  })
  write({ type: 'message_stop' })
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
