import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, textOf } from '../bench.ts'
import { type BrowserStage, openBrowserStage, openSite, type Site } from './stage.ts'

/** The page's script may name the neighbour; whether it reaches it is counted at the neighbour. */
const page = (body: string): string => `<!doctype html><meta charset="utf-8"><title>页面</title>${body}`

let neighbour: Site
let site: Site
let stage: BrowserStage
let secret = ''

beforeAll(async () => {
  neighbour = await openSite((_request, response) => response.end('<h1>内网后台</h1>'))
  secret = neighbour.url
  site = await openSite((request, response) => {
    const path = request.url ?? ''
    if (path === '/redirect') response.writeHead(302, { location: `${secret}/` }).end()
    else if (path === '/refresh')
      response.writeHead(200, { refresh: `0; url=${secret}/`, 'content-type': 'text/html' }).end(page('刷新'))
    else if (path === '/sw.js')
      response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(`oninstall = (e) => e.waitUntil(fetch('${secret}/sw', { mode: 'no-cors' }).catch(() => 0))`)
    else if (path === '/worker.js')
      response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(`fetch('${secret}/worker', { mode: 'no-cors' }).catch(() => 0).then(() => postMessage('done'))`)
    else
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(page(BODIES[path]?.() ?? '<h1>公开页面</h1>'))
  })
  stage = openBrowserStage({ allow: [`127.0.0.1:${site.port}`] })
})
afterAll(async () => {
  await stage.stop()
  await Promise.all([site.close(), neighbour.close()])
})
beforeEach(() => {
  before = neighbour.connections()
})

let before = 0
const untouched = (): void => expect(neighbour.connections()).toBe(before)
const navigate = (url: string) => stage.call('browser_navigate', { url })
/** Runs an expression in the page; the browser's own answer is the text. */
const inPage = async (expression: string) => textOf(await stage.call('browser_eval', { expression }))

const BODIES: Readonly<Record<string, () => string>> = {
  '/meta': () => `<meta http-equiv="refresh" content="0; url=${secret}/">`,
  '/script': () => `<script>location = '${secret}/'</script>`,
  '/frame': () => `<iframe src="${secret}/"></iframe><h1>外层</h1>`,
  '/image': () => `<img src="${secret}/a.png"><link rel="prefetch" href="${secret}/b"><h1>图片</h1>`,
  '/form': () => `<form action="${secret}/" method="post"></form><script>document.forms[0].submit()</script>`,
}

describe('N7: what is not public and not allowed is not reached on any way', () => {
  it('an address of this machine, in any notation', async () => {
    const { port } = neighbour
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0',
      'localhost.',
    ]) {
      expect(errorOf(await navigate(`http://${host}:${port}/`)).type, host).toBe('refused')
    }
    untouched()
  })

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    'http://192.168.1.1/',
    'http://100.100.100.200/',
  ])('%s', async (url) => {
    expect(errorOf(await navigate(url)).type).toBe('refused')
  })

  it.each([
    'file:///etc/passwd',
    'view-source:http://127.0.0.1/',
    'chrome://version',
    'data:text/html,hi',
    'javascript:alert(1)',
    'about:blank',
    'blob:http://127.0.0.1/x',
    'ftp://example.com/',
  ])('the scheme of %s', async (url) => {
    expect(errorOf(await navigate(url)).type).toBe('refused')
  })

  it.each(['/redirect', '/refresh', '/meta', '/script', '/form'])(
    'a page that leads there by %s',
    async (path) => {
      const result = await navigate(`${site.url}${path}`)
      const said = result.ok ? result.text : `${result.error.type} ${result.error.message}`
      expect(said).toContain('net.blocked')
      untouched()
      // What is open now may be looked at, and is not the neighbour.
      const seen = await stage.call('browser_snapshot', {})
      expect(seen.ok ? seen.text : '').not.toContain('内网后台')
      expect(seen.ok ? seen.text : '').not.toContain(secret)
    },
  )

  it.each(['/frame', '/image'])(
    'a part of a page: %s; the rest is shown and the refusal said',
    async (path) => {
      const text = textOf(await navigate(`${site.url}${path}`))
      expect(text).toContain(`Not loaded: 127.0.0.1:${neighbour.port} (net.blocked_port)`)
      untouched()
    },
  )

  it('a popup', async () => {
    await navigate(site.url)
    await stage.call('browser_eval', { expression: `void window.open('${secret}/')` })
    const tabs = textOf(await stage.call('browser_tabs', { action: 'list' }))
    expect(tabs).not.toContain(secret)
    untouched()
  })

  it('fetch, a worker, a service worker, an event stream and a beacon', async () => {
    await navigate(site.url)
    const blocked = `.then(() => 'reached', () => 'failed')`
    // The proxy answers 403 to what it refuses: the page learns nothing of the neighbour either way.
    await inPage(`fetch('${secret}/', { mode: 'no-cors' })${blocked}`)
    await inPage(`new Promise((done) => { new Worker('/worker.js').onmessage = () => done('x') })`)
    await inPage(`(navigator.serviceWorker?.register('/sw.js') ?? Promise.reject())${blocked}`)
    await inPage(
      `new Promise((done) => { const s = new EventSource('${secret}/'); s.onerror = () => { s.close(); done('x') } })`,
    )
    await inPage(`navigator.sendBeacon('${secret}/', 'x')`)
    untouched()
  })

  it('a WebSocket', async () => {
    await navigate(site.url)
    const outcome = await inPage(
      `new Promise((done) => { const s = new WebSocket('ws://127.0.0.1:${neighbour.port}/'); s.onopen = () => done('open'); s.onerror = () => done('refused') })`,
    )
    expect(outcome).toMatch(/^refused\nNot loaded: /)
    untouched()
  })

  it('WebRTC: no packet leaves the proxy’s sight', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    let packets = 0
    socket.on('message', () => packets++)
    await navigate(site.url)
    const gathered = await inPage(`(async () => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${socket.address().port}' }] })
      peer.createDataChannel('x')
      const found = []
      peer.onicecandidate = (event) => event.candidate && found.push(event.candidate.candidate)
      await peer.setLocalDescription(await peer.createOffer())
      await new Promise((done) => { peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done(0); setTimeout(done, 3000) })
      return found.join(';')
    })()`)
    expect(gathered).not.toMatch(/ udp /i)
    expect(packets).toBe(0)
    socket.close()
  })

  it('a tab that moved by itself after it was opened is closed before anybody looks at it', async () => {
    await navigate(site.url)
    await inPage(`void setTimeout(() => { location = '${secret}/' }, 400)`)
    await stage.clock.sleep(1_500)
    const seen = await stage.call('browser_snapshot', {})
    const said = seen.ok ? seen.text : `${seen.error.message}`
    expect(said).not.toContain('内网后台')
    expect(errorOf(seen).type).toBe('refused')
    untouched()
  })
})
