import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { HTTP_LIMITS } from '../../../src/http/server.ts'
import { raw, SMALL_BODY_BYTES, start } from './listening.ts'

describe('webhooks', () => {
  it('hands over the exact bytes, the path below the bot and the query', async () => {
    const { url, seen } = await start()
    const body = '{ "b" : 1,\n"a":"驿站" }'
    const answer = await fetch(`${url}/webhooks/ops/aibot?msg_signature=s%2B&nonce=1`, {
      method: 'POST',
      body,
      headers: { 'X-Lark-Signature': 'AB' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('{"ok":true}')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const [first] = seen
    expect(first?.botId).toBe('ops')
    expect(first?.request.path).toBe('aibot')
    expect(first?.request.query.get('msg_signature')).toBe('s+')
    expect(first?.request.headers['x-lark-signature']).toBe('AB')
    expect(first?.request.body.toString()).toBe(body)
  })

  it('answers GET as platforms verify a URL with it', async () => {
    const { url, seen } = await start()
    expect((await fetch(`${url}/webhooks/oa/app?echostr=x`)).status).toBe(200)
    expect(seen[0]?.request).toMatchObject({ method: 'GET', path: 'app' })
    expect(seen[0]?.request.body.length).toBe(0)
  })

  it.each([
    ['an unknown bot', '/webhooks/none', 'POST', 404],
    ['an id that is none', '/webhooks/..%2Fops', 'POST', 404],
    ['no bot at all', '/webhooks/', 'POST', 404],
    ['another method', '/webhooks/ops', 'DELETE', 405],
  ])('refuses %s', async (_what, path, method, status) => {
    const { url, seen } = await start()
    expect((await fetch(`${url}${path}`, { method })).status).toBe(status)
    expect(seen).toEqual([])
  })

  it('W12: refuses a body that is announced too long before it is read', async () => {
    const { port, seen } = await start()
    const answer = await raw(port, 'POST /webhooks/oa HTTP/1.1\r\nhost: x\r\ncontent-length: 262145\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain('connection: close')
    expect(seen).toEqual([])
  })

  it('W12: takes a body of exactly the limit', async () => {
    const { url, seen } = await start()
    const answer = await fetch(`${url}/webhooks/oa`, {
      method: 'POST',
      body: Buffer.alloc(SMALL_BODY_BYTES, 97),
    })
    expect(answer.status).toBe(200)
    expect(seen[0]?.request.body.length).toBe(SMALL_BODY_BYTES)
  })

  it('W12: cuts chunks without end at the limit, keeps no memory and closes the socket', async () => {
    const { port, seen } = await start()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    })
    await once(socket, 'connect')
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    const before = process.memoryUsage().arrayBuffers
    socket.write('POST /webhooks/oa HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 97), Buffer.from('\r\n')])
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk)) {}
    }
    socket.on('drain', pour)
    pour()
    await closed
    expect(answer).toMatch(/^(HTTP\/1\.1 413 |$)/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * 1024 * 1024)
    expect(seen).toEqual([])
  })

  it('W12: refuses compressed bodies', async () => {
    const { port, seen } = await start()
    const answer = await raw(
      port,
      'POST /webhooks/ops HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n',
      Buffer.from([0x1f, 0x8b]),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 415 /)
    expect(seen).toEqual([])
  })

  it('W12: a Content-Length larger than what comes ends with 408 and a closed socket', async () => {
    const { port, seen } = await start({ limits: { ...HTTP_LIMITS, headersMs: 100, requestMs: 200 } })
    const answer = await raw(
      port,
      'POST /webhooks/ops HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"half":',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(seen).toEqual([])
  })

  it('W12: a Content-Length shorter than what comes never joins the rest to the body', async () => {
    const { port, seen } = await start()
    const answer = await raw(
      port,
      'POST /webhooks/ops HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}SMUGGLED x\r\n\r\n',
    )
    expect(seen.map(({ request }) => request.body.toString())).toEqual(['{}'])
    expect(answer).toContain('400 Bad Request')
  })

  it('W18: a handler that throws is answered with 500, without telling why', async () => {
    const { url, logger } = await start({
      webhooks: {
        limit: () => 1024,
        handle: async () => {
          throw new Error('secret detail')
        },
      },
    })
    const answer = await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
    expect(logger.lines.map(({ message }) => message)).toEqual(['webhook failed'])
  })

  it('a handler that never answers is given up', async () => {
    const { url } = await start({
      limits: { ...HTTP_LIMITS, requestMs: 150, headersMs: 100 },
      webhooks: { limit: () => 1024, handle: () => new Promise(() => {}) },
    })
    expect((await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })).status).toBe(503)
  })
})
