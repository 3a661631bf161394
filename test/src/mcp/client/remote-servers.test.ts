import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Bench, MODULES, openBench } from './bench.ts'

let bench: Bench | undefined
let server: ChildProcess | undefined
afterEach(async () => {
  await bench?.stop()
  server?.kill('SIGKILL')
  bench = undefined
})

/** Any port that is free now. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function startEverything(kind: 'streamableHttp' | 'sse', port: number): Promise<void> {
  server = spawn(process.execPath, [`${MODULES}/server-everything/dist/index.js`, kind], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const { stderr } = server
  await new Promise<void>((resolve) =>
    stderr?.on('data', (chunk) => String(chunk).includes('port') && resolve()),
  )
}

async function stopEverything(): Promise<void> {
  const gone = server && once(server, 'exit')
  server?.kill('SIGKILL')
  await gone
}

const ECHO = 'mcp__everything__echo'

describe.each([
  ['streamableHttp', 'http', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const)('server-everything over %s', (kind, type, path) => {
  it('answers, sends a picture, is missed when it is gone, and is used again when it is back', async () => {
    const port = await freePort()
    await startEverything(kind, port)
    bench = await openBench({ everything: { type, url: `http://127.0.0.1:${port}${path}` } })
    const { view, until, call } = bench
    await until(() => view('everything').state === 'ready', 'the server')
    expect(await call(ECHO, { message: '你好' })).toMatchObject({ ok: true, text: 'Echo: 你好' })
    const picture = await call('mcp__everything__get-tiny-image', {})
    expect(picture).toMatchObject({ ok: true, images: [{ mime: 'image/png' }] })

    await stopEverything()
    expect(await call(ECHO, { message: 'x' })).toMatchObject({ ok: false, error: { type: 'unavailable' } })
    await startEverything(kind, port)
    await until(() => view('everything').state === 'ready', 'the server to be back')
    expect(await call(ECHO, { message: 'again' })).toMatchObject({ ok: true, text: 'Echo: again' })
  }, 60_000)
})

it('a restart that nobody noticed: the forgotten session is opened again, and the call is made once', async () => {
  const port = await freePort()
  await startEverything('streamableHttp', port)
  bench = await openBench({ everything: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } })
  await bench.until(() => bench?.view('everything').state === 'ready', 'the server')
  await stopEverything()
  await startEverything('streamableHttp', port)
  expect(await bench.call(ECHO, { message: 'still there' })).toMatchObject({
    ok: true,
    text: 'Echo: still there',
  })
}, 60_000)

it('M9: a redirect to another origin is not followed, and no header goes there', async () => {
  const seen: unknown[] = []
  const other = createServer((request, response) => {
    seen.push(request.headers)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const redirecting = createServer((_request, response) => {
    response
      .writeHead(307, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp` })
      .end()
  }).listen(0, '127.0.0.1')
  await once(redirecting, 'listening')
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/mcp`
  bench = await openBench({ tricky: { type: 'http', url, headers: { Authorization: 'Bearer secret' } } })
  await bench.until(() => bench?.view('tricky').state === 'waiting', 'the refusal')
  expect(seen).toEqual([])
  await Promise.all([other, redirecting].map((one) => new Promise((resolve) => one.close(resolve))))
})
