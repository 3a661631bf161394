import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MODULES, moody } from '../src/mcp/client/bench.ts'
import { hasChromium, launchChromium } from './chromium.ts'
import { type Service, startService } from './service.ts'
import { buildServedPages, createVisitor } from './visitor.ts'

const program = (script: string, ...args: string[]) => ({
  command: 'node',
  args: [`${MODULES}/${script}/dist/index.js`, ...args],
})

/** Public servers and one with moods, behind the real service, used and mended by people in the page. */
describe.skipIf(!hasChromium)('MCP servers in the playground', { timeout: 120_000 }, () => {
  const docs = realpathSync(mkdtempSync(join(tmpdir(), 'yizhan-docs-')))
  const mood = moody()
  let browser: Browser
  let service: Service
  let page: Page

  beforeAll(async () => {
    await buildServedPages()
    // The sandbox's user must be able to read what a server is given.
    chmodSync(docs, 0o755)
    writeFileSync(join(docs, 'note.txt'), '驿站的笔记')
    const memory = { ...program('server-memory'), env: { MEMORY_FILE_PATH: '/tmp/memory.jsonl' } }
    const servers = {
      ...{ everything: program('server-everything'), files: program('server-filesystem', docs), memory },
      moody: mood.entry,
    }
    service = await startService(`mcp: { discover: false, servers: ${JSON.stringify(servers)} }`)
    browser = await launchChromium()
    const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1360, height: 860 } })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(service.playgroundUrl)
    await page.getByRole('tab', { name: 'MCP' }).click()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  }, 60_000)

  const { log, speakAs, say } = createVisitor(() => page)
  const server = (name: string) => page.locator('.mcp-server', { has: page.getByText(name, { exact: true }) })
  /** 张三 asks for a call, 王芳 allows it. */
  const use = async (tool: string, args: object): Promise<void> => {
    await speakAs('张三')
    await say(`调用 ${tool} ${JSON.stringify(args)}`)
    const card = log().locator('article.card', { has: page.locator('.tag', { hasText: '待审批' }) })
    await card
      .getByText(tool.split('__')[2] ?? '')
      .first()
      .waitFor()
    await speakAs('王芳')
    await card.getByRole('button', { name: '允许' }).click()
  }

  it('lists the servers with their tools', async () => {
    for (const name of ['everything', 'files', 'memory', 'moody'])
      await server(name).getByText('已连接').waitFor()
    await server('files')
      .getByText(/^工具（/)
      .click()
    await server('files').getByText('mcp__files__read_text_file', { exact: true }).waitFor()
  })

  it('everything: a picture is asked for, allowed by a click, and shown in the chat', async () => {
    await use('mcp__everything__get-tiny-image', {})
    await log().locator('.image img').waitFor()
    expect(await page.evaluate('document.querySelector(".image img").naturalWidth')).toBeGreaterThan(1)
    await log().getByText('Kept in the workspace').first().waitFor()
  })

  it('files and memory: read and remembered after clicks', async () => {
    await use('mcp__files__read_text_file', { path: join(docs, 'note.txt') })
    await log().getByText('驿站的笔记').first().waitFor()
    const entities = [{ name: '驿站', entityType: 'service', observations: ['runs on Node'] }]
    await use('mcp__memory__create_entities', { entities })
    await log().getByText('runs on Node').last().waitFor()
  })

  it('a crash in a call is said in the chat, and the server is there again for the next call', async () => {
    mood.set({ mode: 'die-in-call' })
    await use('mcp__moody__greet', { who: 'x' })
    await log().getByText('server "moody"').first().waitFor()
    mood.set({})
    await expect.poll(() => mood.starts(), { timeout: 30_000 }).toBe(2)
    await server('moody').getByText('已连接').waitFor()
    await use('mcp__moody__greet', { who: 'x' })
    await log().getByText('hello from greet').first().waitFor()
  })

  it('M3: a changed tool is off; the page shows its words before and now, and 王芳 agrees there, not 张三', async () => {
    mood.set({ description: 'Says hello, and reads your letters.' })
    mood.announce(true)
    await server('moody').getByText('已变更，停用').waitFor()
    await server('moody').getByText('Says hello, and reads your letters.').waitFor()
    await server('moody').getByText('"Says hello."').waitFor()
    const agree = page.getByRole('button', { name: '同意这些改动 moody' })
    await speakAs('张三')
    await agree.click()
    await log().getByText('只有管理员可以这样做').waitFor()
    await speakAs('王芳')
    await agree.click()
    await log().getByText('已同意 moody 的改动').waitFor()
    await server('moody').getByText('已变更，停用').waitFor({ state: 'detached' })
    mood.announce(false)
  })

  it('M7: a crash loop is said in the chat and in the page with the remedy, whose button brings it back', async () => {
    mood.set({ mode: 'die-at-start' })
    await page.getByRole('button', { name: '重新连接 moody' }).click()
    await server('moody').getByText('处理好上面的原因之后').waitFor()
    await server('moody').getByText('moody: no token configured').waitFor()
    await log().getByText('反复失败，已停用').waitFor()
    mood.set({ description: 'Says hello, and reads your letters.' })
    await page.getByRole('button', { name: '重新连接 moody' }).click()
    await server('moody').getByText('已连接').waitFor()
    await log().getByText('MCP 服务器“moody”已恢复').waitFor()
  })
})
