import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildPages, MCP_SERVERS, type Site, serveSite } from '../../browser/playground-site.ts'
import { createScene, PICTURE, RUNS, type Scene } from '../../browser/scene.ts'

let pages: string
let scene: Scene
let site: Site

beforeAll(async () => {
  pages = await buildPages()
})
afterAll(() => rm(pages, { recursive: true }))
beforeEach(async () => {
  scene = createScene()
  site = await serveSite(pages, [scene.feishu, scene.wecom])
})
afterEach(() => site.close())

const api = (path: string, init?: RequestInit) => fetch(`${site.url}/playground/api/${path}`, init)

const post = (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  api('actions', { method: 'POST', headers, body: JSON.stringify(body) })

describe('the page', () => {
  it('leads to the address with a slash, so that relative assets are found', async () => {
    const answer = await fetch(`${site.url}/playground?x=1`, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/playground/')
  })

  it('is not stored, its hashed assets are kept for a year', async () => {
    const page = await fetch(`${site.url}/playground/`)
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    const [, script = ''] = /src="\.\/(assets\/[^"]+\.js)"/.exec(html) ?? []
    const asset = await fetch(`${site.url}/playground/${script}`)
    expect(asset.status).toBe(200)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it('B5: holds no inline script or style', async () => {
    const html = await (await fetch(`${site.url}/playground/`)).text()
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/)
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/)
  })

  it('serves nothing outside of the build', async () => {
    expect((await fetch(`${site.url}/playground/assets/..%2F..%2Fplayground.ts`)).status).toBe(403)
    expect((await fetch(`${site.url}/playground/nothing`)).status).toBe(404)
  })
})

describe('reading', () => {
  it('lists the chats of every platform', async () => {
    const state = await (await api('state')).json()
    expect(state).toMatchObject({
      about: { version: '0.1.0', model: 'demo', demo: true },
      locale: 'zh-CN',
      chats: [
        { platform: 'feishu', id: 'oc_ops' },
        { platform: 'feishu', id: 'oc_direct' },
        { platform: 'wecom', id: 'wr_finance' },
      ],
    })
  })

  it('gives the last 200 messages and says how many were left out', async () => {
    const [li] = scene.feishu.chats()[0]?.members ?? []
    if (!li) throw new Error('the scene has nobody')
    await api('state')
    for (let i = 0; i < 205; i++) {
      scene.feishu.put(scene.feishu.compose('oc_direct', li, { type: 'text', text: String(i) }))
    }
    const answer = await (await api('messages?platform=feishu&chat=oc_direct')).json()
    expect(answer).toMatchObject({ omitted: 6, seq: 205 })
    expect(Object(answer).messages.at(-1).content.text).toBe('204')
  })

  it('gives the runs of a chat by the key of its bot', async () => {
    site.setRuns(RUNS)
    const answer = await (await api('runs?platform=feishu&chat=oc_ops')).json()
    expect(answer).toEqual({ runs: RUNS })
    expect(await (await api('runs?platform=wecom&chat=wr_finance')).json()).toEqual({ runs: [] })
  })

  it('lists the MCP servers with their state and tools', async () => {
    expect(await (await api('mcp')).json()).toEqual({ servers: MCP_SERVERS, problems: [] })
  })

  it('lists traffic without its details, and gives one entry whole', async () => {
    const [first] = scene.feishu.traffic()
    const text = await (await api('traffic?platform=feishu')).text()
    expect(JSON.parse(text).entries.map(({ id }: { id: string }) => id)).toContain(first?.id)
    expect(text).not.toContain('detail')
    expect(await (await api(`traffic/feishu/${first?.id}`)).json()).toEqual(first)
    expect((await api('traffic/feishu/none')).status).toBe(404)
  })

  it.each(['messages?platform=none&chat=x', 'messages?chat=x', 'traffic?platform=none'])(
    'refuses %s as a mistake of the caller',
    async (path) => {
      expect((await api(path)).status).toBe(400)
    },
  )
})

describe('B5: files of strangers', () => {
  it('shows pictures by their content', async () => {
    const answer = await api('files/feishu/chart')
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('content-disposition')).toMatch(/^inline;/)
    expect(Buffer.from(await answer.arrayBuffer()).equals(PICTURE)).toBe(true)
  })

  it.each([
    ['evil.html', '<script>alert(1)</script>'],
    ['evil.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['picture.png', '<script>alert(1)</script>'],
  ])('only downloads %s, in a sandbox', async (name, text) => {
    scene.feishu.keep('evil', name, Buffer.from(text))
    const { headers } = await api('files/feishu/evil')
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('keeps any name in the header, without breaking it', async () => {
    scene.feishu.keep('odd', '报"告\r\nset-cookie: x\ud800.txt', Buffer.from('x'))
    const { headers } = await api('files/feishu/odd')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="_____set-cookie__x_.txt"; filename*=UTF-8''%E6%8A%A5%22%E5%91%8A%0D%0Aset-cookie%3A%20x%EF%BF%BD.txt`,
    )
    expect(headers.get('set-cookie')).toBeNull()
  })

  it('does not find what is not there', async () => {
    expect((await api('files/feishu/none')).status).toBe(404)
  })
})

describe('acting', () => {
  const send = { type: 'send', chatId: 'oc_ops', personId: 'u-li', text: ['早'] }

  it('hands the action to the platform', async () => {
    expect((await post({ platform: 'feishu', action: send })).status).toBe(200)
    expect(scene.feishu.actions).toEqual([send])
    expect(scene.wecom.actions).toEqual([])
  })

  it('tells a refusal of the platform', async () => {
    const answer = await post({ platform: 'feishu', action: { ...send, personId: 'nobody' } })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      error: {
        code: 'playground.not_member',
        message: 'nobody is not in the chat',
        hint: 'choose somebody else',
      },
    })
  })

  it.each([
    ['an unknown action', { platform: 'feishu', action: { type: 'delete', chatId: 'x', personId: 'y' } }],
    ['an unknown field', { platform: 'feishu', action: { ...send, admin: true } }],
    ['no text', { platform: 'feishu', action: { ...send, text: [] } }],
    ['a list', [1]],
  ])('refuses %s', async (_what, body) => {
    expect((await post(body)).status).toBe(400)
    expect(scene.feishu.actions).toEqual([])
  })

  it('B2: refuses a form of another page', async () => {
    expect((await post({ platform: 'feishu', action: send }, { 'content-type': 'text/plain' })).status).toBe(
      415,
    )
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' }
    expect((await post({ platform: 'feishu', action: send }, headers)).status).toBe(403)
    expect(scene.feishu.actions).toEqual([])
  })

  it('takes an upload as it is, compressed ones never', async () => {
    const path = `uploads?${new URLSearchParams({ platform: 'feishu', chat: 'oc_ops', person: 'u-li', name: '表.csv' })}`
    const headers = { 'content-type': 'application/octet-stream' }
    expect((await api(path, { method: 'POST', headers, body: 'a,b' })).status).toBe(200)
    expect(scene.feishu.actions).toMatchObject([
      { type: 'upload', name: '表.csv', bytes: Buffer.from('a,b') },
    ])
    const zipped = await api(path, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: 'x',
    })
    expect(zipped.status).toBe(415)
    const empty = await api(path, { method: 'POST', headers })
    expect(await empty.json()).toMatchObject({ error: { code: 'playground.empty_file' } })
  })
})

describe('events', () => {
  /** Reads the stream until `count` events came. */
  async function read(response: Response, count: number): Promise<{ type: string; seq: number }[]> {
    const events: { type: string; seq: number }[] = []
    let rest = ''
    for await (const chunk of response.body ?? []) {
      rest += Buffer.from(chunk).toString()
      const frames = rest.split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const data = frame.split('\n').find((line) => line.startsWith('data: '))
        if (data) events.push(JSON.parse(data.slice('data: '.length)))
      }
      if (events.length >= count) break
    }
    return events
  }

  it('begins with hello, then tells every change of every platform in order', async () => {
    const leave = new AbortController()
    const response = await api('events', { signal: leave.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const reading = read(response, 3)
    const [member] = scene.wecom.chats()[0]?.members ?? []
    if (!member) throw new Error('the scene has nobody')
    scene.wecom.put(scene.wecom.compose('wr_finance', member, { type: 'text', text: '好' }))
    scene.feishu.note({ direction: 'link', title: 'open', outcome: '', ok: true, detail: {} })
    const events = await reading
    expect(events).toMatchObject([
      { type: 'hello', seq: 0 },
      { type: 'message', seq: 1, platform: 'wecom', message: { content: { text: '好' } } },
      { type: 'traffic', seq: 2, platform: 'feishu' },
    ])
    leave.abort()
  })

  it('ends with the server, without waiting for the pages', async () => {
    const response = await api('events')
    const ended = read(response, Number.POSITIVE_INFINITY)
    const began = performance.now()
    await site.close()
    await ended
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('watches at most 32 pages at once', async () => {
    const leave = new AbortController()
    const answers = await Promise.all(
      Array.from({ length: 33 }, () => api('events', { signal: leave.signal }).then(({ status }) => status)),
    )
    expect(answers.filter((status) => status === 200)).toHaveLength(32)
    expect(answers.filter((status) => status === 503)).toHaveLength(1)
    const aborted = once(leave.signal, 'abort')
    leave.abort()
    await aborted
  })
})
