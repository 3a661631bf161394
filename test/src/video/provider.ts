/** A scripted MiniMax on loopback: states in order, then the last one for ever; keeps what it was asked. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Provider {
  readonly url: string
  readonly asked: {
    readonly method: string
    readonly path: string
    readonly key: string
    readonly body: unknown
  }[]
  /** Answers to the request for a video, and then to questions about it; objects become JSON. */
  created: { status: number; body: object }
  states: object[]
  file: { status: number; bytes: Buffer }
  /** Times that the file was fetched. */
  fetched(): number
  close(): Promise<void>
}

export async function startProvider(): Promise<Provider> {
  let fetched = 0
  const nextState = (): object => {
    const [next = {}] = provider.states.length > 1 ? provider.states.splice(0, 1) : provider.states
    return next
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const path = request.url ?? ''
      if (path === '/files/video.mp4') {
        fetched++
        response.writeHead(provider.file.status).end(provider.file.bytes)
        return
      }
      provider.asked.push({
        method: request.method ?? '',
        path,
        key: request.headers.authorization ?? '',
        body: body === '' ? undefined : JSON.parse(body),
      })
      const answer = request.method === 'POST' ? provider.created : { status: 200, body: nextState() }
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: Provider = {
    url,
    asked: [],
    created: { status: 200, body: { task_id: 'task-1' } },
    states: [{ status: 'running' }],
    file: { status: 200, bytes: Buffer.from('an mp4 file') },
    fetched: () => fetched,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return provider
}
