import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from '../e2e/support/feishu-house.ts'
import { type OAuthServer, openOAuthServer } from '../e2e/support/oauth-server.ts'
import { hasChromium, launchChromium } from './chromium.ts'

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** An administrator logs in at a server of ours with a real browser; the service does the rest. */
describe.skipIf(!hasChromium)('a login at an MCP server', { timeout: 120_000 }, () => {
  let browser: Browser
  let vault: OAuthServer
  let house: FeishuHouse
  let direct: string
  let callback = ''

  beforeAll(async () => {
    vault = await openOAuthServer()
    house = await openFeishuHouse({
      server: `{ port: ${await freePort()} }`,
      yaml: `mcp: { servers: { vault: { url: "${vault.url}" } } }`,
    })
    browser = await launchChromium()
    direct = house.control.openDirect(house.people.admin.userId, house.bot.appId)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await house.stop()
    await vault.close()
  }, 60_000)

  /** A message that was not there before this and holds these words. */
  const told = (chat: string, words: string | RegExp, since: ReadonlySet<string> = new Set()) =>
    house.until(
      () =>
        house
          .answers(chat)
          .find(({ messageId, text }) => !since.has(messageId) && new RegExp(words).test(text)),
      `a message with ${words}`,
      20_000,
    )
  const listed = (words: string | RegExp) => {
    const since = new Set(house.answers(direct).map(({ messageId }) => messageId))
    house.control.say(direct, house.people.admin.userId, '/mcp')
    return told(direct, words, since)
  }
  const link = async (): Promise<string> =>
    /请打开这个地址登录：([^\s)]+)/.exec((await listed('请打开这个地址登录')).text)?.[1] ?? ''
  const logIn = async (address: string): Promise<string> => {
    const page: Page = await browser.newPage()
    page.on('request', (request) => {
      if (request.url().includes('/mcp/login')) callback = request.url()
    })
    await page.goto(address)
    await page.getByRole('heading', { name: 'Yizhan wants to use the vault' }).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL('**/mcp/login?**')
    const words = await page.locator('body').textContent()
    await page.close()
    return words ?? ''
  }
  const openVault = async (): Promise<string> => {
    const before = new Set(house.answers().map(({ messageId }) => messageId))
    house.ask('调用 mcp__vault__open {}')
    const card = await house.until(
      () => house.answers().find((one) => !before.has(one.messageId) && one.text.includes('待审批')),
      'the card',
      20_000,
    )
    await house.control.click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
    const after = await house.until(
      () =>
        house
          .answers()
          .find((one) => !before.has(one.messageId) && /mcp__vault__open[\s\S]*演示模型/.test(one.text)),
      'the end',
      20_000,
    )
    return after.text
  }

  it('the administrator gets the address in a direct chat, nobody gets it in a group', async () => {
    house.ask('/mcp', { from: house.people.admin })
    expect((await told(house.chatId, '需要登录')).text).not.toContain('code_challenge')
    expect(await link()).toContain('code_challenge=')
  })

  it('after a click on the consent page the tools are there, and a call works', async () => {
    expect(await logIn(await link())).toContain('登录成功')
    await house.until(() => vault.consents() === 1, 'the consent')
    await listed(/vault[\s\S]*已连接/)
    expect(await openVault()).toContain('保险箱里有一份合同')
  })

  it('M9: the way back counts once; one that was never begun, or was refused, is said in words', async () => {
    const again = await fetch(callback)
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('/mcp')])
    const base = new URL('/mcp/login', callback)
    expect((await fetch(`${base}?state=guessed&code=x`)).status).toBe(400)
    expect(await (await fetch(`${base}?state=guessed&error=access_denied`)).text()).toContain('没有登录')
  })

  it('K: tokens lie in files of the service’s account alone, and in no chat, log or audit', async () => {
    const stored = readdirSync(house.dataDir).filter((name) => name.startsWith('yizhan.db'))
    const holders = stored.filter((name) =>
      readFileSync(join(house.dataDir, name)).includes(vault.tokens[0] ?? '?'),
    )
    expect(holders.length).toBeGreaterThan(0)
    for (const name of stored) expect(statSync(join(house.dataDir, name)).mode & 0o777).toBe(0o600)
    const audit = await house.app.store.db.selectFrom('audit').selectAll().execute()
    const shown = house.chats().flatMap((chat) => house.answers(chat).map(({ text }) => text))
    const everywhere = JSON.stringify([house.lines, audit, shown])
    expect(vault.tokens.filter((token) => everywhere.includes(token))).toEqual([])
  })

  it('a token that has ended is renewed without anybody, also after a restart', async () => {
    vault.expire()
    expect(await openVault()).toContain('保险箱里有一份合同')
    expect(vault.renewals()).toBe(1)
    await house.restart()
    expect(await openVault()).toContain('保险箱里有一份合同')
    expect([vault.consents(), vault.renewals()]).toEqual([1, 1])
  })

  it('when nothing can be renewed the administrator is told, and a second login mends it', async () => {
    vault.expire(true)
    expect(await openVault()).toContain('log in')
    await told(house.chatId, 'MCP 服务器“vault”需要登录')
    expect(await logIn(await link())).toContain('登录成功')
    await listed(/vault[\s\S]*已连接/)
    expect(await openVault()).toContain('保险箱里有一份合同')
  })
})
