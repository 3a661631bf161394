/** From the event's arrival to the request at the model, durable in between. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeRequests } from './events.ts'
import { sendAll } from './load-client.ts'
import { atMost, quantile, type Row } from './row.ts'
import { openTenant, startOurs } from './servers.ts'

export async function measureModelRequest(quick: boolean): Promise<Row[]> {
  const count = quick ? 40 : 200
  const tenant = await openTenant()
  const model = await openModel()
  const ours = await startOurs(tenant, {
    yaml: `models: { default: mock, profiles: { mock: { protocol: openai, baseUrl: "http://127.0.0.1:${model.port}/v1", model: mock } } }\n`,
  })
  const waits: number[] = []
  try {
    for (let i = 0; i < count + 5; i++) {
      const [request] = makeRequests(tenant.keys, '/webhooks/bench', ours.port, 1, {
        chats: 1_000_000,
        text: `@_user_1 第 ${i} 次`,
      })
      const asked = model.next()
      const began = performance.now()
      await sendAll(ours.port, request ? [request] : [], 1)
      await asked
      // The first requests load the SDK.
      if (i >= 5) waits.push(performance.now() - began)
    }
  } finally {
    await ours.stop()
    await tenant.simulator.stop()
    model.close()
  }
  return [
    atMost('event → model request, p50', quantile(waits, 0.5), 'ms', 10),
    atMost('event → model request, p99', quantile(waits, 0.99), 'ms', 40),
  ]
}

interface MockModel {
  readonly port: number
  /** Resolves when the next request has arrived. */
  next(): Promise<void>
  close(): void
}

async function openModel(): Promise<MockModel> {
  let tell = (): void => {}
  const server = createServer((request, response) => {
    tell()
    request.resume()
    response.setHeader('content-type', 'text/event-stream')
    const delta = {
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'mock',
      choices: [{ index: 0, delta: { role: 'assistant', content: '好' }, finish_reason: null }],
    }
    const last = { ...delta, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    response.end(`data: ${JSON.stringify(delta)}\n\ndata: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    next: () => new Promise((resolve) => (tell = resolve)),
    close: () => server.close(),
  }
}
