import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openSite, type Site } from '../src/tools/browser/stage.ts'
import { ownProcesses } from '../support/processes.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

const PAGE = `<!doctype html><meta charset="utf-8"><title>订单</title><style>body{font:28px sans-serif;padding:40px}</style>
<h1>驿站订单</h1><p id="state">状态：未付款</p>
<button onclick="document.getElementById('state').textContent='状态：已付款'">付款</button>`

let site: Site
let neighbour: Site
let house: FeishuHouse
beforeAll(async () => {
  site = await openSite((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
  )
  neighbour = await openSite((_request, response) => response.end('内网'))
})
afterEach(() => house?.stop())
afterAll(() => Promise.all([site.close(), neighbour.close()]))

const SLOW = 90_000
const open = async (yaml: string): Promise<void> => {
  house = await openFeishuHouse({ yaml })
}
const finals = () => house.answers().filter((message) => /已完成|未完成/.test(message.text))
const cards = () => house.answers().filter((message) => message.text.includes('待审批'))
const allow = (messageId: string) =>
  house.control.click({ userId: house.people.admin.userId, messageId, on: '允许' })

describe('the browser in a chat', () => {
  it('asks once per session, opens what the operator allowed, clicks, and sends the picture', async () => {
    await open(`browser: { enabled: true, allow: ["127.0.0.1:${site.port}"] }`)
    house.ask(`打开 ${site.url}/ 点击 付款 截图发给我`)
    const card = await house.until(() => cards()[0], 'the approval card', SLOW)
    expect(card.text).toContain('打开网页')
    expect(card.text).toContain('浏览器的操作在本会话中不再逐次询问')
    await allow(card.messageId)
    const picture = await house.until(
      () => house.answers().find((message) => message.type === 'image'),
      'the picture',
      SLOW,
    )
    const answer = await house.until(() => finals()[0], 'the answer', SLOW)
    expect(answer.text).toContain('状态：已付款')
    const stored = house.control.fileBytes(picture.fileKeys[0] ?? '')
    const png = Buffer.from(stored?.bytes ?? [])
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 800])

    // The second time nobody is asked, although the page's words have come in meanwhile.
    house.ask(`打开 ${site.url}/`)
    await house.until(() => finals()[1], 'the second answer', SLOW)
    expect(cards()).toEqual([])
    await house.restart()
    expect(ownProcesses('/chromium/chromium ')).toEqual([])
  }, 180_000)

  it('N7: an address of this machine that was not allowed is refused, before and after approval', async () => {
    await open(`browser: { enabled: true, allow: ["127.0.0.1:${site.port}"] }`)
    house.ask(`打开 ${neighbour.url}/`)
    const card = await house.until(() => cards()[0], 'the approval card', SLOW)
    await allow(card.messageId)
    const answer = await house.until(() => finals()[0], 'the answer', SLOW)
    expect(answer.text).toContain('browser_navigate')
    expect(answer.text).toMatch(/port \d+ is not allowed/)
    expect(neighbour.connections()).toBe(0)
  }, 180_000)

  it('is not there until the operator turns it on', async () => {
    await open('')
    house.ask(`打开 ${site.url}/`)
    const answer = await house.until(() => finals()[0], 'the answer')
    expect(answer.text).toContain('浏览器默认关闭')
    expect(answer.text).toContain('browser: { enabled: true')
    expect(cards()).toEqual([])
  })
})
