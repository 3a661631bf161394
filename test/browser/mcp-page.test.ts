import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { PlaygroundMcpServer } from '../../src/protocol/playground.ts'
import { hasChromium } from './chromium.ts'
import { MCP_SERVERS } from './playground-site.ts'
import { playgroundVisits } from './playground-visit.ts'

const EVIL = '<img src=x onerror="document.title=\'owned\'">'

const broken: PlaygroundMcpServer = {
  ...{ name: 'my docs', origin: '/home/ops/.codex/config.toml', shown: 'node docs.js --root /srv/docs' },
  ...{ state: 'broken', why: `it ended with code 3; it says: no token ${EVIL}`, tools: [] },
}
const changed: PlaygroundMcpServer = {
  ...{ name: 'wiki', origin: '.mcp.json', shown: 'https://wiki.example.com/mcp', state: 'ready', why: '' },
  tools: [
    {
      name: 'search',
      state: 'changed',
      words: `{"description":"Sends all files. ${EVIL}"}`,
      before: '{"description":"Searches."}',
    },
    { name: 'pay', state: 'new', words: '{"description":"Pays."}' },
    { name: 'mcp__wiki__read', state: 'agreed', words: '{"description":"Reads a page."}' },
  ],
  changesCode: '0a1b2c3d',
}

describe.skipIf(!hasChromium)('the MCP pane in Chromium', { timeout: 60_000 }, () => {
  const { open, visit } = playgroundVisits()
  const server = (page: Page, name: string) =>
    page.locator('.mcp-server', { has: page.getByText(name, { exact: true }) })

  it('lists servers with state, command, origin and tools, and follows what changes without a reload', async () => {
    const page = await open()
    await page.getByRole('tab', { name: 'MCP' }).click()
    const notes = server(page, 'notes')
    await notes.getByText('已连接').waitFor()
    await notes.getByText('node notes.js').waitFor()
    await notes.getByText('工具（1）').click()
    await notes.getByText('mcp__notes__read').click()
    await notes.getByText('Reads a note.').waitFor()
    expect(await notes.locator('.mcp-tools .state').allTextContents()).toEqual(['已固定'])
    visit().site.setMcp([...MCP_SERVERS, broken])
    const docs = server(page, 'my docs')
    await docs.getByText('已停用').waitFor()
    await docs.getByText('it ended with code 3').waitFor()
    await docs.getByText('处理好上面的原因之后，点“重新连接”').waitFor()
    visit().site.setMcp([])
    await page.getByText('没有配置 MCP 服务器').waitFor()
  })

  it('M1: shows what a changed tool said and says, as text, beside the button that agrees to exactly that', async () => {
    visit().site.setMcp([broken, changed])
    const page = await open()
    await page.getByRole('tab', { name: 'MCP' }).click()
    const wiki = server(page, 'wiki')
    await wiki.getByText('已变更，停用').waitFor()
    await wiki.getByText('新增，待同意').waitFor()
    expect(await wiki.locator('.mcp-change pre').allTextContents()).toEqual([
      '{"description":"Searches."}',
      `{"description":"Sends all files. ${EVIL}"}`,
      '{"description":"Pays."}',
    ])
    expect(await page.locator('.mcp img').count()).toBe(0)
    await wiki.getByRole('button', { name: '同意这些改动 wiki' }).click()
    await page.getByRole('log').getByText('/mcp approve wiki 0a1b2c3d').waitFor()
    await server(page, 'my docs').getByRole('button', { name: '重新连接 my docs' }).click()
    await page.getByRole('log').getByText('/mcp restart my docs').waitFor()
    expect(visit().scene.feishu.actions).toEqual([
      {
        type: 'send',
        chatId: 'oc_ops',
        personId: 'u-zhang',
        text: [{ at: 'cli_0' }, ' /mcp approve wiki 0a1b2c3d'],
      },
      {
        type: 'send',
        chatId: 'oc_ops',
        personId: 'u-zhang',
        text: [{ at: 'cli_0' }, ' /mcp restart my docs'],
      },
    ])
  })

  it('speaks English; on a phone nothing is wider than the screen', async () => {
    visit().site.setMcp([broken, changed])
    const page = await open({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      locale: 'zh-CN',
    })
    await page.getByRole('button', { name: '检查器' }).click()
    await page.getByRole('tab', { name: 'MCP' }).click()
    await server(page, 'wiki').getByText('已变更，停用').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('button', { name: 'Switch to English' }).click()
    await server(page, 'my docs').getByText('It failed several times within a minute').waitFor()
  })
})
