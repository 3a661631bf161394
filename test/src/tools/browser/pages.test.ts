import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killOwnProcesses, ownProcesses } from '../../../support/processes.ts'
import { errorOf, textOf } from '../bench.ts'
import { type BrowserStage, openBrowserStage, openSite, refOf, type Site } from './stage.ts'

const SHOP = `<!doctype html><meta charset="utf-8"><title>驿站商店</title>
<h1>欢迎</h1>
<button onclick="document.querySelector('p').textContent = '已点击'">点我</button><p>未点击</p>
<form action="/search"><input aria-label="关键词" name="q"><button>搜索</button></form>
<form action="/login" method="post"><input type="password" aria-label="口令"><button>登录</button></form>
<select aria-label="城市" onchange="document.title = '城市 ' + this.value">
  <option value="bj">北京</option><option value="sh">上海</option></select>
<button onclick="alert('注意')">提示</button>
<iframe srcdoc="<button>框内按钮</button>"></iframe>
<a href="/paper.pdf">文件</a> <a href="/data.bin">下载</a> <a href="/second" target="_blank">新窗口</a>`

let site: Site
let stage: BrowserStage

beforeAll(async () => {
  site = await openSite((request, response) => {
    if (request.url === '/paper.pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4')
    } else if (request.url === '/data.bin') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.alloc(2_000))
    } else if (request.url?.startsWith('/cookie')) {
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'visited=yes; Max-Age=86400' })
        .end(`<title>cookie: ${request.headers.cookie ?? 'none'}</title>`)
    } else response.writeHead(200, { 'content-type': 'text/html' }).end(SHOP)
  })
  stage = openBrowserStage({ allow: [`127.0.0.1:${site.port}`] })
})
afterAll(async () => {
  await stage.stop()
  await site.close()
})

const shop = async (): Promise<string> => {
  await stage.call('browser_navigate', { url: `${site.url}/` })
  return textOf(await stage.call('browser_snapshot', {}))
}

describe('pages of the browser', () => {
  it('says that nothing is open before the first page', async () => {
    expect(errorOf(await stage.call('browser_snapshot', {}))).toMatchObject({
      type: 'not_found',
      hint: expect.stringContaining('browser_navigate'),
    })
  })

  it('opens a page, shows it as a tree, clicks by ref and sees the change', async () => {
    const opened = textOf(await stage.call('browser_navigate', { url: `${site.url}/` }))
    expect(opened).toBe(`Tab t1: ${site.url}/ — 驿站商店 (HTTP 200)`)
    const before = textOf(await stage.call('browser_snapshot', {}))
    expect(before).toContain('heading "欢迎"')
    expect(before).toContain('未点击')
    const clicked = textOf(await stage.call('browser_click', { ref: refOf(before, '"点我"') }))
    expect(clicked).toContain('Clicked')
    expect(textOf(await stage.call('browser_snapshot', {}))).toContain('已点击')
  })

  it('clicks inside a frame', async () => {
    const ref = refOf(await shop(), '框内按钮')
    expect(ref).toMatch(/^f\d+e\d+$/)
    expect((await stage.call('browser_click', { ref })).ok).toBe(true)
  })

  it('types Chinese, reads it back, and submits with Enter', async () => {
    const ref = refOf(await shop(), '"关键词"')
    const typed = textOf(await stage.call('browser_type', { ref, text: '驿站 𠮷 测试' }))
    expect(typed).toContain('It now holds: "驿站 𠮷 测试"')
    const sent = textOf(await stage.call('browser_type', { ref, text: '驿站', submit: true }))
    expect(sent).toContain(`/search?q=${encodeURIComponent('驿站')}`)
  })

  it('chooses an option by its text, and lists the options when there is no such one', async () => {
    const ref = refOf(await shop(), '"城市"')
    expect(textOf(await stage.call('browser_select', { ref, value: '上海' }))).toContain('城市 sh')
    expect(errorOf(await stage.call('browser_select', { ref, value: '广州' }))).toEqual({
      type: 'not_found',
      message: 'There is no "广州".',
      hint: 'There are: 北京, 上海',
    })
  })

  it('tells the model when a ref is not there any more', async () => {
    await shop()
    const error = errorOf(await stage.call('browser_click', { ref: 'e9999' }))
    expect(error.hint).toContain('new browser_snapshot')
  })

  it('evaluates an expression, waits for a promise, and bounds what comes back', async () => {
    await shop()
    const value = async (expression: string) => textOf(await stage.call('browser_eval', { expression }))
    expect(await value('document.title')).toBe('驿站商店')
    expect(await value('Promise.resolve({ a: [1, 2] })')).toBe('{"a":[1,2]}')
    const long = await stage.call('browser_eval', { expression: `'驿'.repeat(3_000_000)` })
    expect(long).toMatchObject({ ok: true, truncated: { total: 3_000_000, returned: 20_000 } })
    expect(errorOf(await stage.call('browser_eval', { expression: 'nothing.there' })).message).toContain(
      'nothing is not defined',
    )
  })

  it('a script without an end costs its tab, not the session', async () => {
    await shop()
    const error = errorOf(await stage.call('browser_eval', { expression: '(() => { for (;;); })()' }))
    expect(error.type).toBe('timeout')
    expect(textOf(await stage.call('browser_navigate', { url: site.url }))).toContain('驿站商店')
  })

  it('a picture goes to the model as an image, and into the chat only when asked', async () => {
    await shop()
    const quiet = await stage.call('browser_screenshot', {})
    expect(quiet).toMatchObject({ ok: true, images: [{ mime: 'image/png' }] })
    expect(stage.sent).toEqual([])
    await stage.call('browser_screenshot', { send: true })
    const [picture] = stage.sent
    expect(picture).toMatchObject({ name: 'browser.png', kind: 'image' })
    expect(picture?.bytes.subarray(1, 4).toString()).toBe('PNG')
    // Width and height in the PNG's header.
    expect([picture?.bytes.readUInt32BE(16), picture?.bytes.readUInt32BE(20)]).toEqual([1280, 800])
  })

  it('says what a page did by itself: a dialog, a new tab, a download', async () => {
    const page = await shop()
    expect(textOf(await stage.call('browser_click', { ref: refOf(page, '"提示"') }))).toContain(
      'alert dialog, closed: 注意',
    )
    const popup = textOf(await stage.call('browser_click', { ref: refOf(page, '"新窗口"') }))
    const id = /A new tab opened: (t\d+)/.exec(popup)?.[1] ?? ''
    expect(textOf(await stage.call('browser_tabs', { action: 'list' }))).toContain(`* Tab ${id}`)
    expect((await stage.call('browser_tabs', { action: 'close', tab: id })).ok).toBe(true)
    expect(errorOf(await stage.call('browser_snapshot', { tab: id })).type).toBe('not_found')
  })

  it.each(['/paper.pdf', '/data.bin'])('N7: %s is a download, and downloads are not kept', async (path) => {
    const error = errorOf(await stage.call('browser_navigate', { url: `${site.url}${path}` }))
    expect(error).toMatchObject({ type: 'refused', hint: expect.stringContaining('web_fetch') })
    const files = readdirSync(stage.root, { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => /paper|data\.bin|crdownload/.test(name))).toEqual([])
  })

  it('what a click or words are meant for is told by the words of the page, and its address', async () => {
    const page = await shop()
    const click = await stage.targetOf('browser_click', { ref: refOf(page, '"登录"') })
    expect(click).toMatch(/^button “登录” · http:\/\/127\.0\.0\.1/)
    const type = await stage.targetOf('browser_type', { ref: refOf(page, '"关键词"'), text: 'a' })
    expect(type).toMatch(/^input “.*” · http:/)
    expect(await stage.targetOf('browser_click', { ref: 'e999' })).toBeUndefined()
  })

  it('P3/N8: what may carry something out is marked, what looks or moves on is not', async () => {
    const page = await shop()
    const carries = (tool: string, args: object) => stage.carriesOut(tool, args)
    expect(await carries('browser_click', { ref: refOf(page, '"点我"') })).toBe(false)
    expect(await carries('browser_click', { ref: refOf(page, '"搜索"') })).toBe(false)
    expect(await carries('browser_click', { ref: refOf(page, '"登录"') })).toBe(true)
    expect(await carries('browser_type', { ref: refOf(page, '"关键词"'), text: 'a' })).toBe(false)
    expect(await carries('browser_type', { ref: refOf(page, '"关键词"'), text: 'a', submit: true })).toBe(
      true,
    )
    expect(await carries('browser_type', { ref: refOf(page, '"口令"'), text: 'a' })).toBe(true)
    expect(await carries('browser_eval', { expression: '1' })).toBe(true)
    expect(await carries('browser_navigate', { url: `${site.url}/?q=secret` })).toBe(false)
    expect(await carries('browser_navigate', { url: 'https://elsewhere.example/?q=secret' })).toBe(true)
    expect(await carries('browser_navigate', { url: 'https://elsewhere.example/' })).toBe(false)
  })

  it('T5: another session has its own cookies, and a new conversation starts without any', async () => {
    const title = async (session: string) =>
      textOf(await stage.call('browser_navigate', { url: `${site.url}/cookie` }, session))
    expect(await title('s2')).toContain('cookie: none')
    expect(await title('s2')).toContain('cookie: visited=yes')
    expect(await title('s3')).toContain('cookie: none')
    stage.epoch++
    expect(await title('s2')).toContain('cookie: none')
  })

  it('Chromium runs as nobody, with its own sandbox on and no port open', async () => {
    await shop()
    const own = ownProcesses('/chromium/chromium ')
    expect(own.length).toBeGreaterThan(0)
    for (const { uid, command } of own) {
      expect(uid).not.toBe(0)
      expect(command).not.toContain('--no-sandbox')
      expect(command).not.toContain('--remote-debugging-port')
    }
  })

  it('a Chromium that was killed is a result, and the next page opens in a new one', async () => {
    await shop()
    killOwnProcesses('/chromium/chromium ')
    const error = errorOf(await stage.call('browser_snapshot', {}))
    expect(['failed', 'not_found']).toContain(error.type)
    expect(error.hint).toContain('browser_navigate')
    expect(textOf(await stage.call('browser_navigate', { url: site.url }))).toContain('驿站商店')
  })
})
