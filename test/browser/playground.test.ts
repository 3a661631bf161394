import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { playgroundVisits } from './playground-visit.ts'
import { bot, li, RUNS } from './scene.ts'

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  locale: 'zh-CN',
}

describe.skipIf(!hasChromium)('playground in Chromium', { timeout: 60_000 }, () => {
  const { open, visit } = playgroundVisits()
  const log = (page: Page) => page.getByRole('log')

  it('shows the chats of every platform, and the first one open', async () => {
    const page = await open()
    const list = page.getByRole('navigation', { name: '会话' })
    expect(await list.getByRole('heading').allTextContents()).toEqual(['飞书', '企业微信'])
    expect(await list.locator('.chat-entry-title strong').allTextContents()).toEqual([
      '运维值班群',
      '张三 · 驿站',
      '财务日报',
    ])
    await expect.poll(() => list.locator('[aria-current=true] strong').textContent()).toBe('运维值班群')
    await page.getByText('模拟租户', { exact: true }).waitFor()
    await page.getByText('演示模型', { exact: true }).waitFor()
  })

  it('renders cards: header, tag, code, columns, panel, markdown table and list', async () => {
    const page = await open()
    const card = page.getByRole('article', { name: '需要审批：运行命令' })
    await card.waitFor()
    expect(await card.locator('.tag').textContent()).toBe('待审批')
    expect(await card.locator('.code pre').textContent()).toBe('uname -a')
    expect(await card.getByRole('button').allTextContents()).toEqual(['', '同意', '拒绝'])
    expect(await log(page).locator('table th').allTextContents()).toEqual(['文件', '大小', '修改时间'])
    const panel = log(page).locator('details.panel')
    expect(await panel.getByText('列出目录').isVisible()).toBe(false)
    await panel.locator('summary').click()
    expect(await panel.getByText('列出目录').isVisible()).toBe(true)
  })

  it('B5: a javascript: link in markdown is inert text, a safe one opens beside the page', async () => {
    const page = await open()
    await log(page).getByText('不要点').waitFor()
    const links = await log(page)
      .locator('.markdown a')
      .evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.getAttribute('rel')]))
    expect(links).toEqual([['https://example.com/docs', 'noopener noreferrer nofollow']])
    expect(await log(page).getByText('[这里](javascript:alert(1))').count()).toBe(1)
  })

  it('B5: markup in names, texts, cards and files stays text', async () => {
    const evil = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    const page = await open()
    visit().scene.feishu.put(
      visit().scene.feishu.compose('oc_ops', { ...li, name: evil }, { type: 'text', text: evil }),
    )
    visit().scene.feishu.put(visit().scene.feishu.compose('oc_ops', bot, { type: 'markdown', text: evil }))
    visit().scene.feishu.put(
      visit().scene.feishu.compose('oc_ops', bot, {
        type: 'file',
        file: { id: 'x', name: `${evil}.svg`, bytes: 1 },
      }),
    )
    const header = { title: evil, color: 'red', tags: [{ text: evil, color: 'none' }] } as const
    visit().scene.feishu.put(
      visit().scene.feishu.compose('oc_ops', bot, {
        type: 'card',
        card: {
          header,
          blocks: [
            { type: 'plain', text: evil },
            { type: 'fields', fields: [{ name: evil, value: evil }] },
          ],
        },
      }),
    )
    await expect.poll(() => log(page).getByText('<script>').count()).toBeGreaterThan(4)
    expect(await log(page).locator('script, img[src=x]').count()).toBe(0)
    expect(await page.title()).toBe('驿站 · 体验场')
  })

  it('downloads a file that the bot sent, under its name', async () => {
    const page = await open()
    const download = page.waitForEvent('download')
    await log(page).getByRole('link', { name: '下载 report.md' }).click()
    expect((await download).suggestedFilename()).toBe('report.md')
  })

  it('shows pictures', async () => {
    const page = await open()
    await log(page).locator('.image img').waitFor()
    const width = () => page.evaluate('document.querySelector(".image img").naturalWidth')
    await expect.poll(width).toBe(240)
  })

  it('shows the steps of the runs, and says when a run waits', async () => {
    visit().site.setRuns(RUNS)
    const page = await open()
    const panel = page.getByRole('tabpanel', { name: '运行步骤' })
    await panel.getByText('运行命令：uname -a').waitFor()
    expect(await panel.locator('.state').allTextContents()).toEqual(['等待审批', '完成'])
    expect(await panel.locator('.step-ms').allTextContents()).toEqual(['84 ms', '12 ms', '1.8 s'])
    await panel.getByText('模型 demo · 输入 8,412 · 输出 530 · 缓存 4,096 · 费用 0.0123 CNY').waitFor()
    await log(page).getByText('驿站 在等待审批').waitFor()
  })

  it('shows the raw traffic, filtered, opened down to JSON inside of JSON', async () => {
    const page = await open()
    await page.getByRole('tab', { name: '平台流量' }).click()
    const panel = page.getByRole('tabpanel', { name: '平台流量' })
    await expect.poll(() => panel.locator('.traffic-title').count()).toBe(3)
    await panel.getByRole('button', { name: '平台 → 驿站' }).click()
    expect(await panel.locator('.traffic-title').allTextContents()).toEqual(['im.message.receive_v1'])
    await panel.getByRole('button', { name: /im\.message\.receive_v1/ }).click()
    await panel.getByText('content:').click()
    await panel.getByText('"@_user_1 运行 uname -a"').waitFor()
    await panel.getByRole('button', { name: '全部' }).click()
    await panel.getByRole('searchbox').fill('429')
    expect(await panel.locator('.traffic-title').count()).toBe(1)
    await panel.getByRole('searchbox').fill('nothing like it')
    await panel.getByText('没有符合筛选条件的记录。').waitFor()
  })

  it('counts unread messages of other chats and opens them', async () => {
    const page = await open()
    visit().scene.wecom.put(visit().scene.wecom.compose('wr_finance', li, { type: 'text', text: '收到' }))
    await page.getByRole('img', { name: '1 条未读' }).waitFor()
    await page.getByRole('button', { name: /财务日报/ }).click()
    await log(page).getByText('收到').waitFor()
    expect(await log(page).locator('.tint-orange').textContent()).toBe('-3.2%')
    expect(await page.getByRole('img', { name: /条未读/ }).count()).toBe(0)
  })

  it('speaks English, and remembers it', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Switch to English' }).click()
    await page.getByRole('tab', { name: 'Platform traffic' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    await page.reload()
    await page.getByRole('button', { name: 'Run uname -a' }).waitFor()
    expect(await page.title()).toBe('Yizhan · Playground')
  })

  it('says that the connection is lost, and takes up again with what was missed', async () => {
    const page = await open()
    await visit().site.close()
    await page.getByText('连接断开，正在重连…').waitFor()
    visit().scene.feishu.put(
      visit().scene.feishu.compose('oc_ops', li, { type: 'text', text: '断线时说的话' }),
    )
    await visit().serveAgain()
    await log(page).getByText('断线时说的话').waitFor()
    expect(await page.getByText('连接断开，正在重连…').count()).toBe(0)
    // Chromium itself writes a line for every refused connection.
    visit().problems.length = 0
  })

  describe('on a phone', () => {
    it('shows one pane at a time, nothing wider than the screen', async () => {
      visit().site.setRuns(RUNS)
      const page = await open(PHONE)
      const widest = () => page.evaluate('document.documentElement.scrollWidth')
      expect(await page.getByRole('navigation', { name: '会话' }).isVisible()).toBe(false)
      expect(await widest()).toBe(390)
      await page.getByRole('button', { name: '返回会话列表' }).click()
      await page.getByRole('button', { name: /财务日报/ }).click()
      await page.getByRole('heading', { level: 1, name: '财务日报' }).waitFor()
      await page.getByRole('button', { name: '返回会话列表' }).click()
      await page.getByRole('button', { name: /运维值班群/ }).click()
      await page.getByRole('button', { name: '检查器' }).click()
      await page.getByText('运行命令：uname -a').waitFor()
      expect(await log(page).isVisible()).toBe(false)
      expect(await widest()).toBe(390)
      await page.getByRole('button', { name: '返回聊天' }).click()
      expect(await log(page).isVisible()).toBe(true)
    })

    it('sends, and presses buttons that a finger can hit', async () => {
      const page = await open(PHONE)
      await page.getByRole('textbox', { name: '消息' }).fill('@驿站 帮助')
      await page.getByRole('button', { name: '发送' }).tap()
      await log(page).getByText('@驿站 帮助').waitFor()
      const button = page.getByRole('button', { name: '同意' })
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(40)
      await button.tap()
      await expect.poll(() => visit().scene.feishu.actions.map(({ type }) => type)).toEqual(['send', 'press'])
    })
  })

  it('every control has a name for those who cannot see it', async () => {
    const page = await open()
    const controls = await page.locator('button, a, input:not([type=checkbox]), select, textarea').all()
    expect(controls.length).toBeGreaterThan(20)
    for (const control of controls) {
      const named = (await control.getAttribute('aria-label')) || (await control.textContent())?.trim()
      expect(named, await control.evaluate('(one) => one.outerHTML')).toBeTruthy()
    }
  })
})
