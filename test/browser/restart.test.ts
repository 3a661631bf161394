import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium } from './chromium.ts'
import { type Service, startService } from './service.ts'
import { buildServedPages, createVisitor } from './visitor.ts'

describe.skipIf(!hasChromium)('a playground that is started again', { timeout: 120_000 }, () => {
  let browser: Browser
  let service: Service
  let page: Page

  beforeAll(async () => {
    await buildServedPages()
    service = await startService()
    browser = await launchChromium()
    page = await browser.newPage({ locale: 'zh-CN', viewport: { width: 1360, height: 860 } })
    page.setDefaultTimeout(30_000)
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  }, 60_000)

  const { log, openChat, say } = createVisitor(() => page)
  const arrive = async (group: string): Promise<void> => {
    await page.goto(service.playgroundUrl)
    await openChat(group)
  }

  it.each(['驿站体验群', '报销与财务群'])(
    'waits in %s for no click on a card of the company before',
    async (group) => {
      await arrive(group)
      await say('运行 uname -a')
      await log().getByRole('button', { name: '允许' }).first().waitFor()
      await service.restart()
      await arrive(group)
      expect(await log().getByText('在等待审批').count()).toBe(0)
      await say('列出工作目录里的文件')
      await log().getByText('工作目录是空的').first().waitFor()
    },
  )
})
