import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { serviceInBrowser } from './service.ts'
import { createVisitor } from './visitor.ts'

/** What a person sees in the first minutes: the real service, the real adapter, the simulated tenant. */
describe.skipIf(!hasChromium)('npm start in Chromium', { timeout: 120_000 }, () => {
  const stage = serviceInBrowser()
  let page: Page
  beforeEach(async () => {
    await page?.context().close()
    const context = await stage.browser.newContext({
      locale: 'zh-CN',
      viewport: { width: 1360, height: 860 },
    })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(stage.service.playgroundUrl)
    await suggestion('帮助').waitFor()
  })

  const { log, speakAs } = createVisitor(() => page)
  const suggestion = (text: string) => page.locator('.suggestion', { hasText: text })

  it('says that the tenant is simulated and the model a demo', async () => {
    await page.getByText('模拟租户', { exact: true }).waitFor()
    await page.getByText('演示模型', { exact: true }).waitFor()
  })

  it('is greeted before anybody has said anything', async () => {
    await log().getByText('大家好').first().waitFor({ timeout: 10_000 })
  })

  it('asks for approval of a command; the wrong person cannot give it, the admin can', async () => {
    await speakAs('李四')
    await suggestion('运行 uname -a').click()
    const approval = log().locator('article.card', { has: page.locator('.tag', { hasText: '待审批' }) })
    await approval.getByText('uname -a').first().waitFor()
    await log().getByText('在等待审批').waitFor()
    await approval.getByRole('button', { name: '允许' }).click()
    await page.locator('.toast').waitFor()
    expect(await approval.count()).toBe(1)
    await speakAs('王芳')
    await approval.getByRole('button', { name: '允许' }).click()
    await log().locator('article.card', { hasText: '已允许' }).getByText('GNU/Linux').waitFor()
    const steps = page.getByRole('tabpanel', { name: '运行步骤' })
    await steps.locator('.state', { hasText: '完成' }).first().waitFor()
    expect(await steps.locator('.step.ok code').allTextContents()).toContain('shell')
  })

  it('writes a report and sends it as a file that can be downloaded', async () => {
    await suggestion('report.md').click()
    const file = log().getByRole('link', { name: '下载 report.md' })
    await file.waitFor()
    const download = page.waitForEvent('download')
    await file.click()
    expect(await readFile(await (await download).path(), 'utf8')).toMatch(/^# /)
  })

  it('shows the raw traffic behind it', async () => {
    await page.getByRole('tab', { name: '平台流量' }).click()
    const traffic = page.getByRole('tabpanel', { name: '平台流量' })
    await traffic.getByRole('searchbox').fill('im.message.receive_v1')
    const entry = traffic.getByRole('button', { name: /im\.message\.receive_v1/ }).first()
    await entry.click()
    await traffic.getByText('eventType:').first().waitFor()
  })

  it('answers in a direct chat without a mention', async () => {
    await page.getByRole('button', { name: /身份与机器人单聊/ }).click()
    await page.getByText('单聊').first().waitFor()
    await suggestion('帮助').click()
    await log().locator('.message', { hasText: '机器人' }).first().waitFor()
  })
})
