import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasChromium } from './chromium.ts'
import { playgroundVisits } from './playground-visit.ts'
import { approvalCard, bot } from './scene.ts'

describe.skipIf(!hasChromium)('playground in Chromium', { timeout: 60_000 }, () => {
  const { open, visit } = playgroundVisits()
  const log = (page: Page) => page.getByRole('log')

  it('sends a typed message with the mention chosen from the list', async () => {
    const page = await open()
    const box = page.getByRole('textbox', { name: '消息' })
    await box.click()
    await box.pressSequentially('@驿')
    await page.getByRole('option', { name: '驿站' }).waitFor()
    await box.press('Enter')
    expect(await box.inputValue()).toBe('@驿站 ')
    await box.pressSequentially('你好')
    await box.press('Enter')
    await log(page).getByText('@驿站 你好').waitFor()
    expect(visit().scene.feishu.actions).toEqual([
      { type: 'send', chatId: 'oc_ops', personId: 'u-zhang', text: [{ at: 'cli_0' }, ' 你好'] },
    ])
    expect(await box.inputValue()).toBe('')
  })

  it('Shift+Enter breaks the line, and an input method’s Enter sends nothing', async () => {
    const page = await open()
    const box = page.getByRole('textbox', { name: '消息' })
    await box.fill('一')
    await box.press('Shift+Enter')
    await box.pressSequentially('二')
    await box.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })
    expect(await box.inputValue()).toBe('一\n二')
    expect(visit().scene.feishu.actions).toEqual([])
  })

  it('speaks as whoever is chosen', async () => {
    const page = await open()
    await page.getByRole('button', { name: '我是 张三' }).click()
    await page.getByRole('option', { name: '李四' }).click()
    await page.getByRole('button', { name: '帮助', exact: true }).click()
    await log(page).locator('.message.own', { hasText: '@驿站 帮助' }).waitFor()
    expect(visit().scene.feishu.actions).toEqual([
      { type: 'send', chatId: 'oc_ops', personId: 'u-li', text: [{ at: 'cli_0' }, ' ', '帮助'] },
    ])
  })

  it('quotes a message', async () => {
    const page = await open()
    await log(page)
      .locator('.message', { hasText: '昨晚的备份' })
      .getByRole('button', { name: '引用回复' })
      .click({ force: true })
    await page.getByText('回复 李四').waitFor()
    await page.getByRole('textbox', { name: '消息' }).fill('跑完了')
    await page.getByRole('button', { name: '发送' }).click()
    await log(page).getByText('跑完了', { exact: true }).waitFor()
    expect(visit().scene.feishu.actions).toMatchObject([{ type: 'send', text: ['跑完了'], quote: 'm2' }])
    expect(await page.getByText('回复 李四').count()).toBe(0)
  })

  it('uploads a file, and the text that goes with it quotes the file', async () => {
    const page = await open()
    const buffer = Buffer.from('a,b\n1,2\n')
    await page.getByLabel('添加文件').setInputFiles({ name: '数据 表.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('textbox', { name: '消息' }).fill('@驿站 读一读')
    await page.getByRole('button', { name: '发送' }).click()
    await log(page).getByRole('link', { name: '下载 数据 表.csv' }).waitFor()
    await log(page).getByText('@驿站 读一读').waitFor()
    const [upload, send] = visit().scene.feishu.actions
    expect(upload).toMatchObject({ type: 'upload', personId: 'u-zhang', name: '数据 表.csv' })
    expect(upload?.type === 'upload' && Buffer.from(upload.bytes).toString()).toBe('a,b\n1,2\n')
    expect(send).toMatchObject({ type: 'send', quote: visit().scene.feishu.messages('oc_ops').at(-2)?.id })
  })

  it('presses a button with the form of its card: waiting, a toast, the new card', async () => {
    const page = await open()
    const answer = Promise.withResolvers<void>()
    visit().scene.feishu.onPress(async () => {
      await answer.promise
      visit().scene.feishu.put({
        ...visit().scene.feishu.compose('oc_ops', bot, {
          type: 'card',
          card: { header: { title: '已同意', color: 'green', tags: [] }, blocks: [] },
        }),
        id: 'approval',
      })
      return { toast: { tone: 'success', text: '已同意，开始执行' } }
    })
    const card = page.getByRole('article', { name: approvalCard.header?.title ?? '' })
    await card.getByRole('combobox', { name: '有效范围' }).selectOption('session')
    await card.getByRole('textbox', { name: '理由' }).fill('例行检查')
    const button = card.getByRole('button', { name: '同意' })
    await button.click()
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    expect(await button.isDisabled()).toBe(true)
    answer.resolve()
    await page.getByText('已同意，开始执行').waitFor()
    await page.getByRole('article', { name: '已同意' }).waitFor()
    expect(visit().scene.feishu.actions).toEqual([
      {
        type: 'press',
        chatId: 'oc_ops',
        personId: 'u-zhang',
        messageId: 'approval',
        buttonId: 'approve',
        form: { scope: 'session', reason: '例行检查' },
      },
    ])
  })

  it('shows a refusal of the platform as a notice', async () => {
    const page = await open()
    visit().scene.feishu.onPress(async () => {
      const { AppError } = await import('../../src/protocol/errors.ts')
      throw new AppError('playground.refused', 'the button is disabled')
    })
    visit().problems.length = 0
    await page.getByRole('button', { name: '拒绝', exact: true }).click()
    await page.getByText('平台不允许这个操作：the button is disabled').waitFor()
    // Chromium itself writes a line for every answer of 400.
    visit().problems.length = 0
  })

  it('streams text into the same message', async () => {
    const page = await open()
    const first = visit().scene.feishu.compose(
      'oc_ops',
      bot,
      { type: 'markdown', text: '正在' },
      { streaming: true },
    )
    visit().scene.feishu.put(first)
    const message = log(page).locator(`#message-${first.id}`)
    await message.getByText('正在').waitFor()
    await message.getByRole('img', { name: '正在输入' }).waitFor()
    visit().scene.feishu.put({ ...first, content: { type: 'markdown', text: '正在**写**\n\n```js\nlet a' } })
    await message.locator('.code pre', { hasText: 'let a' }).waitFor()
    visit().scene.feishu.put({ ...first, streaming: false, content: { type: 'markdown', text: '写完了' } })
    await message.getByText('写完了').waitFor()
    expect(await message.getByRole('img', { name: '正在输入' }).count()).toBe(0)
  })
})
