import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { playgroundVisits } from './playground-visit.ts'
import { bot, li } from './scene.ts'

describe.skipIf(!hasChromium)('what stands in the window of a chat', { timeout: 60_000 }, () => {
  const { open, visit } = playgroundVisits()
  const log = (page: Page) => page.getByRole('log')
  /** Pixels between the newest message and the lower edge of the window. */
  const below = (page: Page): Promise<number> =>
    log(page).evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
  const opened = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: new RegExp(name) }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const toTop = async (page: Page): Promise<void> => {
    await log(page).evaluate((box) => box.scrollTo({ top: 0 }))
    await expect.poll(() => below(page)).toBeGreaterThan(400)
  }

  const fill = (): void => {
    const { feishu, wecom } = visit().scene
    for (let i = 0; i < 60; i += 1) {
      feishu.put(feishu.compose('oc_ops', li, { type: 'text', text: `运维 ${i}` }))
      wecom.put(wecom.compose('wr_finance', li, { type: 'text', text: `财务 ${i}` }))
    }
  }

  it('is its newest message when it is opened, wherever another chat was left', async () => {
    fill()
    const page = await open()
    await expect.poll(() => below(page)).toBeLessThan(5)
    await toTop(page)
    await opened(page, '财务日报')
    await log(page).getByText('财务 59').waitFor()
    await expect.poll(() => below(page)).toBeLessThan(5)
    await opened(page, '运维值班群')
    await log(page).getByText('运维 59').waitFor()
    await expect.poll(() => below(page)).toBeLessThan(5)
  })

  it('stays where somebody reads when others write, and shows what the reader sends', async () => {
    fill()
    const page = await open()
    await expect.poll(() => below(page)).toBeLessThan(5)
    await toTop(page)
    const { feishu } = visit().scene
    feishu.put(feishu.compose('oc_ops', bot, { type: 'text', text: '别人的话' }))
    await page.getByRole('button', { name: '回到最新消息' }).waitFor()
    expect(await below(page)).toBeGreaterThan(400)
    await page.getByRole('textbox', { name: '消息' }).fill('我的话')
    await page.getByRole('button', { name: '发送' }).click()
    await log(page).getByText('我的话', { exact: true }).waitFor()
    await expect.poll(() => below(page)).toBeLessThan(5)
  })

  it('is not taken away from a reader by changes below an own message', async () => {
    fill()
    const page = await open()
    await page.getByRole('textbox', { name: '消息' }).fill('我的话')
    await page.getByRole('button', { name: '发送' }).click()
    await log(page).getByText('我的话', { exact: true }).waitFor()
    await expect.poll(() => below(page)).toBeLessThan(5)
    await toTop(page)
    const { feishu } = visit().scene
    const own = feishu.messages('oc_ops').at(-1)
    if (!own) throw new Error('nothing was sent')
    feishu.put({ ...own, edited: true })
    await page.getByRole('button', { name: '回到最新消息' }).waitFor()
    expect(await below(page)).toBeGreaterThan(400)
  })
})
