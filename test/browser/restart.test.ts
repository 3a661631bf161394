import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { serviceInBrowser } from './service.ts'
import { createVisitor } from './visitor.ts'

describe.skipIf(!hasChromium)('a playground that is started again', { timeout: 120_000 }, () => {
  const stage = serviceInBrowser()
  let page: Page
  beforeAll(async () => {
    page = await stage.browser.newPage({ locale: 'zh-CN', viewport: { width: 1360, height: 860 } })
    page.setDefaultTimeout(30_000)
  })

  const { log, openChat, say } = createVisitor(() => page)
  const arrive = async (group: string): Promise<void> => {
    await page.goto(stage.service.playgroundUrl)
    await openChat(group)
  }

  it.each(['驿站体验群', '报销与财务群'])(
    'waits in %s for no click on a card of the company before',
    async (group) => {
      await arrive(group)
      await say('运行 uname -a')
      await log().getByRole('button', { name: '允许' }).first().waitFor()
      await stage.service.restart()
      await arrive(group)
      expect(await log().getByText('在等待审批').count()).toBe(0)
      await say('列出工作目录里的文件')
      await log().getByText('工作目录是空的').first().waitFor()
    },
  )
})
