import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium } from './chromium.ts'
import { type Service, startService } from './service.ts'

describe.skipIf(!hasChromium)('a playground that is started again', { timeout: 120_000 }, () => {
  let browser: Browser
  let service: Service
  let page: Page

  beforeAll(async () => {
    service = await startService()
    browser = await launchChromium()
    page = await browser.newPage({ locale: 'zh-CN', viewport: { width: 1360, height: 860 } })
    page.setDefaultTimeout(30_000)
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  }, 60_000)

  const log = () => page.getByRole('log')
  const openChat = async (title: string): Promise<void> => {
    await page.goto(service.playgroundUrl)
    await page.getByRole('navigation', { name: '会话' }).getByRole('button', { name: title }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  const say = async (words: string): Promise<void> => {
    await page.getByRole('textbox', { name: '消息' }).fill(`@驿站 ${words}`)
    await page.getByRole('button', { name: '发送', exact: true }).click()
  }

  it.each(['驿站体验群', '报销与财务群'])(
    'waits in %s for no click on a card of the company before',
    async (group) => {
      await openChat(group)
      await say('运行 uname -a')
      await log().getByRole('button', { name: '允许' }).first().waitFor()
      await service.restart()
      await openChat(group)
      expect(await log().getByText('在等待审批').count()).toBe(0)
      await say('列出工作目录里的文件')
      await log().getByText('工作目录是空的').first().waitFor()
    },
  )
})
