import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { createManualClock } from '../../support/clock.ts'
import { guarded, serve, serveRaw } from './servers.ts'

describe('guarded fetch', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync],
  ])('N5: a %s bomb of 200 MB ends at the limit', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(200 * 1024 * 1024))
    const { port } = await serve((_, response) => {
      response.setHeader('content-encoding', encoding).end(bomb)
    })
    const before = process.memoryUsage().rss

    await expect(
      guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`),
    ).rejects.toMatchObject({
      code: 'net.too_large',
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  })

  it('N5: a body without end stops at the limit', async () => {
    const { port } = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 97)));
      }
      response.on('drain', more)
      more()
    })

    await expect(
      guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`, { maxBytes: 1_000_000 }),
    ).rejects.toMatchObject({ code: 'net.too_large' })
  })

  it('N5: silence of five seconds in a body ends the fetch', async () => {
    const clock = createManualClock()
    const { port } = await serve((_, response) => void response.write('a'))
    const fetching = guarded({ clock, allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`)
    const ended = expect(fetching).rejects.toMatchObject({ code: 'net.timeout', retryable: true })
    // Total and idle timers: the headers and the first byte have arrived.
    await vi.waitFor(() => expect(clock.pending()).toBe(2), { timeout: 10_000 })

    await clock.advance(5_000)
    await ended
  })

  it('N5: a byte now and then ends at the total time, and so do early hints without end', async () => {
    const clock = createManualClock()
    let drip: (() => void) | undefined
    const port = await serveRaw((socket) => {
      drip = () => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
      drip()
    })
    const fetching = guarded({ clock, allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`)
    const ended = expect(fetching).rejects.toMatchObject({ code: 'net.timeout' })
    await vi.waitFor(() => expect(drip).toBeDefined(), { timeout: 10_000 })

    for (let second = 0; second < 20; second++) {
      drip?.()
      await clock.advance(1_000)
    }
    await ended
    expect(clock.pending()).toBe(0)
  })

  it('N5: a wrong Content-Length and a flood of headers are errors, not answers', async () => {
    const short = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'))
    const flood = await serveRaw((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 100_000 }, (_, i) => `X-${i}: a`).join('\r\n')}\r\n\r\n`,
      )
    })
    const fetch = guarded({ allow: [`127.0.0.1:${short}`, `127.0.0.1:${flood}`] })

    await expect(fetch(`http://127.0.0.1:${short}/`)).rejects.toMatchObject({ code: 'net.unreachable' })
    await expect(fetch(`http://127.0.0.1:${flood}/`)).rejects.toMatchObject({
      code: 'net.unreachable',
      params: { reason: 'UND_ERR_HEADERS_OVERFLOW' },
    })
  })
})
