import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSite, type Site } from '../src/tools/browser/stage.ts'
import { hasChromium, launchChromium } from './chromium.ts'
import { type Picture, readPicture } from './picture.ts'
import { type Service, startService } from './service.ts'
import { buildServedPages, createVisitor } from './visitor.ts'

const ORDER = `<!doctype html><meta charset="utf-8"><title>订单</title>
<style>body{font:28px sans-serif;padding:40px}.paid{background:#0a7d33;color:#fff}</style>
<h1>驿站订单</h1><p id="state">状态：未付款</p>
<button onclick="state.textContent='状态：已付款';document.body.className='paid'">付款</button>`

/** What the README promises of the tools, said in the page to the model that needs no key. */
describe.skipIf(!hasChromium)('the tools in the playground', { timeout: 180_000 }, () => {
  let browser: Browser
  let site: Site
  let service: Service
  let page: Page

  beforeAll(async () => {
    await buildServedPages()
    site = await openSite((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(ORDER),
    )
    const allowed = `browser: { enabled: true, allow: ["127.0.0.1:${site.port}"] }`
    service = await startService(`${allowed}\ncomputer: { enabled: true }`)
    browser = await launchChromium()
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await site.close()
  }, 60_000)
  beforeEach(async () => {
    await page?.context().close()
    const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1360, height: 1200 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(service.playgroundUrl)
    await openChat('驿站体验群')
    // Each starts anew: once a session has read a page, remembering and much else asks somebody first.
    await say('/新会话')
    await log().getByText('从现在起是新会话').last().waitFor()
  })

  const { log, openChat, speakAs, say: write } = createVisitor(() => page)
  const say = async (words: string, who = '张三'): Promise<void> => {
    await speakAs(who)
    await write(words)
  }
  const card = (words: string | RegExp): Locator => log().locator('article.card', { hasText: words })
  /** 王芳 allows the card that waits; says what it told about what it covers. */
  const allow = async (): Promise<string> => {
    const waiting = log().locator('article.card', { has: page.locator('.tag', { hasText: '待审批' }) })
    await waiting.waitFor()
    const told = (await waiting.textContent()) ?? ''
    await speakAs('王芳')
    await waiting.getByRole('button', { name: '允许' }).click()
    return told
  }
  /** Pixels of the newest picture in the chat, as the page has loaded it. */
  const picture = async (count: number): Promise<Picture> => {
    const images = log().locator('.image img')
    await expect.poll(() => images.count(), { timeout: 90_000 }).toBe(count)
    await images.last().scrollIntoViewIfNeeded()
    return await readPicture(page)
  }

  it('browses the page that the operator allowed, clicks in it, and the picture is in the chat', async () => {
    await say(`打开 ${site.url}/ 点击 付款 截图发给我`)
    expect(await allow()).toContain('浏览器的操作在本会话中不再逐次询问')
    const seen = await picture(1)
    expect([seen.width, seen.height]).toEqual([1280, 800])
    // The page turns green when it is paid, so the picture is of the page after the click.
    expect(seen.corner).toEqual([10, 125, 51])
    await card('状态：已付款').waitFor()

    await say(`打开 ${site.url}/`)
    await card('状态：未付款').waitFor()
    expect(await log().locator('.tag', { hasText: '待审批' }).count()).toBe(0)
  })

  it('types Chinese into a program on the virtual display, and the picture in the chat shows it', async () => {
    await openChat('运维值班群')
    await say('在虚拟桌面输入 馨一馨一馨')
    expect(await allow()).toContain('虚拟桌面的操作在本会话中不再逐次询问')
    const seen = await picture(1)
    expect([seen.width, seen.height]).toEqual([1280, 800])
    // Each character is drawn as itself: boxes of a missing font would be equally dark.
    const [dense = 0, thin = 0, denseToo = 0, thinToo = 0] = seen.ink
    expect(thin).toBeGreaterThan(0)
    expect(dense).toBeGreaterThan(2 * thin)
    expect(denseToo).toBeGreaterThan(2 * thinToo)
    await card('text "馨一馨一馨"').waitFor()
  })

  it('runs a command in the background, and reports when it has ended', async () => {
    await say('在后台运行 sleep 2; echo 构建完成 > done.txt; cat done.txt')
    await allow()
    const started = card('已经在后台运行')
    await started.waitFor()
    const report = card(/已完成[\s\S]*后台命令 job-\S+ 结束了[\s\S]*构建完成[\s\S]*退出码 0/)
    expect(await report.count()).toBe(0)
    await report.waitFor()
  })

  it('remembers a fact in one chat that another chat cannot recall', async () => {
    await say('记住：报销系统负责人是张三丰')
    await card('记住了').waitFor()
    await say('还记得报销系统负责人吗', '李四')
    await card(/已完成[\s\S]*我记得的是[\s\S]*张三丰/).waitFor()
    await openChat('运维值班群')
    await say('还记得报销系统负责人吗', '李四')
    await card(/已完成[\s\S]*这里没有记过/).waitFor()
    expect(await log().getByText('张三丰').count()).toBe(0)
  })

  it('a team of two answers one question', async () => {
    await say('小组讨论：工作目录里有什么')
    await card(/已完成[\s\S]*小组的回答[\s\S]*调查员[\s\S]*审校员/).waitFor()
  })
})
