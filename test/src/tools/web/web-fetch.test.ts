import type { ServerResponse } from 'node:http'
import iconv from 'iconv-lite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../../src/net/guarded-fetch.ts'
import { createReader } from '../../../../src/tools/web/reader/reader.ts'
import { createWebFetchTool } from '../../../../src/tools/web/web-fetch.ts'
import { createManualClock, type ManualClock } from '../../../support/clock.ts'
import { type PageServer, startPageServer } from '../../../support/page-server.ts'
import { errorOf, type ToolBench, textOf, toolBench } from '../bench.ts'
import { wordFile } from './documents.ts'

const GBK = iconv.encode(
  `<html><head><title>公告</title></head><body><article><h1>放假</h1>${'<p>国庆节放假七天，值班表另行通知，请各部门提前安排。</p>'.repeat(10)}</article></body></html>`,
  'gbk',
)
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const REFRESH = '<meta http-equiv="refresh" content="0; url=http://169.254.169.254/">moved'

const ANSWERS: Readonly<Record<string, readonly [type: string, body: string | Uint8Array, status?: number]>> =
  {
    '/gbk': ['text/html', GBK],
    '/long': ['text/plain; charset=utf-8', '字'.repeat(10_000)],
    '/file.docx': ['application/octet-stream', wordFile(['合同编号 42'])],
    '/pixel': ['image/png', PIXEL],
    '/video': ['video/mp4', Buffer.alloc(100)],
    '/gone': ['text/plain', 'not here', 404],
    '/empty': ['text/html', '<html><body><script>draw()</script></body></html>'],
    '/refresh': ['text/html', REFRESH],
    '/big': ['text/plain', Buffer.alloc(6 * 1024 * 1024, 'x')],
  }
const REDIRECTS: Readonly<Record<string, string>> = {
  '/to-metadata': 'http://169.254.169.254/latest/',
  '/to-file': 'file:///etc/passwd',
}

function serve(asked: string, response: ServerResponse): void {
  const path = asked.split('?')[0] ?? ''
  const location = REDIRECTS[path]
  if (location !== undefined) {
    response.writeHead(302, { location }).end()
    return
  }
  const [type, body, status = 200] = ANSWERS[path] ?? ['text/plain', asked]
  response.writeHead(status, { 'content-type': type }).end(body)
}

const reader = createReader(createManualClock())
let server: PageServer
let clock: ManualClock
let bench: ToolBench
beforeEach(async () => {
  server = await startPageServer(serve)
  clock = createManualClock()
  const fetch = createGuardedFetch({ allow: [server.host], clock })
  bench = toolBench({ tools: [createWebFetchTool({ fetch, reader, clock })] })
})
afterEach(async () => {
  bench[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})
const get = (path: string, more: object = {}) => bench.call('web_fetch', { url: server.url + path, ...more })

describe('web_fetch', () => {
  it('reads a GBK page as Markdown under its address and title', async () => {
    const text = textOf(await get('/gbk'))
    expect(text).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/gbk\n公告\n/)
    expect(text).toContain('国庆节放假七天')
  })

  it('reads a long text in parts, fetched once', async () => {
    const first = await get('/long')
    expect(textOf(first)).toContain('(10000 characters in total, 7200 returned, use offset 7200 for more)')
    expect(first).toMatchObject({ truncated: { total: 10_000, returned: 7_200, next: 7_200 } })
    const rest = textOf(await get('/long', { offset: 7_200 }))
    expect(rest).toContain('(10000 characters in total, 2800 returned)')
    expect(server.asked).toEqual(['/long'])
  })

  it('reads documents as text and shows pictures as pictures', async () => {
    expect(textOf(await get('/file.docx'))).toContain('合同编号 42')
    const picture = await get('/pixel')
    expect(picture).toMatchObject({ images: [{ mime: 'image/png', base64: PIXEL.toString('base64') }] })
    expect(textOf(picture)).toContain('1 × 1')
  })

  it('says what it cannot read, what the server refused, and that a page is drawn by scripts', async () => {
    expect(errorOf(await get('/video'))).toMatchObject({
      type: 'refused',
      message: expect.stringContaining('video/mp4'),
    })
    expect(textOf(await get('/gone'))).toContain('HTTP 404')
    expect(textOf(await get('/empty'))).toContain('no text; it may be drawn by scripts')
  })

  it('P2: marks everything it brings in as other people’s words', async () => {
    for (const path of ['/gbk', '/pixel', '/gone'])
      expect(await get(path), path).toMatchObject({ foreign: true })
  })

  it('T5: another session gets nothing from the pages that this one has read', async () => {
    const clocked = createManualClock()
    const tool = createWebFetchTool({
      fetch: createGuardedFetch({ allow: [server.host], clock: clocked }),
      reader,
      clock: clocked,
    })
    const args = { url: `${server.url}/long?token=canary`, offset: 7_200 }
    const run = (sessionId: string) =>
      tool.run(args, { ...bench.context(), sessionId }, new AbortController().signal, {
        tool: 'web_fetch',
        args,
      })
    await tool.run({ ...args, offset: 0 }, bench.context(), new AbortController().signal, {
      tool: 'web_fetch',
      args,
    })
    await run('s1')
    expect(server.asked).toHaveLength(1)
    await run('s2')
    expect(server.asked).toHaveLength(2)
  })
})

describe('what web_fetch refuses', () => {
  const refused = async (url: string): Promise<string> => errorOf(await bench.call('web_fetch', { url })).type

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
  ])('N1/N2: %s, an address that is not public', async (url) => {
    expect(await refused(url)).toBe('refused')
  })

  it.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/html,x', 'http://user:pw@example.com/'])(
    'N4: %s',
    async (url) => {
      expect(await refused(url)).toBe('refused')
    },
  )

  it('N4: another port, and what is no address', async () => {
    expect(await refused('http://example.com:6379/')).toBe('refused')
    expect(await refused('example')).toBe('invalid_argument')
  })

  it('N3: redirects to a private address or a file; a refresh in the page is not followed', async () => {
    expect(errorOf(await get('/to-metadata')).type).toBe('refused')
    expect(errorOf(await get('/to-file')).type).toBe('refused')
    expect(textOf(await get('/refresh'))).toContain('moved')
    expect(server.asked).toHaveLength(3)
  })

  it('N5: more than 5 MB', async () => {
    expect(errorOf(await get('/big'))).toMatchObject({ type: 'limit' })
  })

  it('names the address that the policy judges, as it is parsed', async () => {
    const tool = createWebFetchTool({ fetch: () => Promise.reject(new Error('unused')), reader, clock })
    const bound = await tool.bind?.({ url: 'http:\\\\EXAMPLE.com\\a?b=c', offset: 0 }, bench.context())
    expect(bound).toMatchObject({ url: 'http://example.com/a?b=c' })
  })
})
