/** A model behind chat completions that answers every request at once with one word. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MockModel {
  /** The `models` section that names it. */
  readonly yaml: string
  /** Resolves with the moment (`performance.now()`) at which the next request has arrived. */
  next(): Promise<number>
  /** Body of the newest request, once it is read. */
  body(): string
  close(): void
}

const PIECE = {
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'mock',
  choices: [{ index: 0, delta: { role: 'assistant', content: '好' }, finish_reason: null }],
}
const LAST = { ...PIECE, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
const ANSWER = `data: ${JSON.stringify(PIECE)}\n\ndata: ${JSON.stringify(LAST)}\n\ndata: [DONE]\n\n`

export async function openMockModel(): Promise<MockModel> {
  let tell = (_at: number): void => {}
  let body = ''
  const server = createServer((request, response) => {
    tell(performance.now())
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      body = Buffer.concat(chunks).toString('utf8')
      response.setHeader('content-type', 'text/event-stream')
      response.end(ANSWER)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    yaml: `models: { default: mock, profiles: { mock: { protocol: openai, baseUrl: "http://127.0.0.1:${port}/v1", model: mock } } }\n`,
    next: () => new Promise((resolve) => (tell = resolve)),
    body: () => body,
    close: () => server.close(),
  }
}
