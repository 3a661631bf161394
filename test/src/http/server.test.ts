import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHttpServer, HTTP_LIMITS } from '../../../src/http/server.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { raw, start } from './listening.ts'

describe('W13: slow clients', () => {
  it('the limits are those of the requirement', () => {
    expect(HTTP_LIMITS).toEqual({ headersMs: 10_000, requestMs: 15_000, connections: 1_000 })
  })

  it('500 sockets that never finish their headers are closed; a good request is answered meanwhile', async () => {
    const { port, url } = await start({ limits: { headersMs: 1_500, requestMs: 2_000, connections: 1_000 } })
    const sockets: Socket[] = []
    for (let i = 0; i < 500; i++) {
      const socket = connect(port, '127.0.0.1', () => socket.write('POST /webhooks/ops HTTP/1.1\r\nx'))
      socket.on('error', () => {})
      socket.resume()
      sockets.push(socket)
    }
    await Promise.all(sockets.filter(({ connecting }) => connecting).map((socket) => once(socket, 'connect')))
    const began = performance.now()
    expect((await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(1_000)
    await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => once(socket, 'close')))
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true)
  })

  it('more sockets than allowed are closed at once and logged', async () => {
    const { port, logger } = await start({ limits: { ...HTTP_LIMITS, connections: 2 } })
    const open = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    await Promise.all(open.map((socket) => once(socket, 'connect')))
    const third = connect(port, '127.0.0.1')
    third.on('error', () => {})
    third.resume()
    await once(third, 'close')
    expect(logger.lines[0]?.message).toContain('too many sockets')
    for (const socket of open) socket.destroy()
  })
})

describe('health', () => {
  it('is alive, ready and measured', async () => {
    const { url } = await start()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ alive: true })
    const ready = await fetch(`${url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toBe('up 1\n')
  })

  it('says what is missing when it is not ready', async () => {
    const checks = [{ check: 'bot ops', ok: false, detail: 'the socket is reconnecting' }]
    const { url } = await start({ health: { ready: async () => checks } })
    const answer = await fetch(`${url}/readyz`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ ready: false, checks })
  })

  it('is not ready when a check throws', async () => {
    const { url } = await start({ health: { ready: () => Promise.reject(new Error('no database')) } })
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
  })
})

describe('listening', () => {
  it('names the setting and the way to find the holder when the port is taken', async () => {
    const { port } = await start()
    const second = createHttpServer({
      webhooks: { limit: () => undefined, handle: async () => ({ status: 200 }) },
      health: { ready: async () => [] },
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
      mounts: [],
      clock: createSystemClock(),
      logger: createCollectingLogger(),
    })
    const error = await second.listen('127.0.0.1', port).catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'http.port_in_use', params: { port } })
    expect(String(Object(error).hint)).toContain('server.port')
    expect(String(Object(error).hint)).toContain(`ss -ltnp 'sport = :${port}'`)
    await second.close()
  })

  it('says when the address is not of this machine', async () => {
    const server = createHttpServer({
      webhooks: { limit: () => undefined, handle: async () => ({ status: 200 }) },
      health: { ready: async () => [] },
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
      mounts: [],
      clock: createSystemClock(),
      logger: createCollectingLogger(),
    })
    await expect(server.listen('192.0.2.1', 0)).rejects.toMatchObject({ code: 'http.address_unavailable' })
  })

  it('close lets a running request finish and refuses new ones', async () => {
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const { server, url } = await start({
      webhooks: {
        limit: () => 1024,
        handle: async () => {
          entered.resolve()
          await gate.promise
          return { status: 200, body: 'done' }
        },
      },
    })
    const running = fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })
    await entered.promise
    const closed = server.close(10_000)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    gate.resolve()
    expect(await (await running).text()).toBe('done')
    await closed
  })
})

it('a mount that cannot be loaded fails its requests but not the webhooks, and is tried again', async () => {
  let tries = 0
  const { url } = await start({
    mounts: [
      {
        path: '/console',
        load: async () => {
          tries += 1
          if (tries === 1) throw new Error('not built')
          return (_request, response) => void response.end('here')
        },
      },
    ],
  })
  expect((await fetch(`${url}/console`)).status).toBe(500)
  expect((await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(await (await fetch(`${url}/console`)).text()).toBe('here')
})

it('speaks plainly to a client that is no HTTP client', async () => {
  const { port } = await start()
  expect(await raw(port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
})
