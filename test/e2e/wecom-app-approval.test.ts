import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AnswerFault, appChat } from '../../adapters/wecom/simulator/control.ts'
import { DEMO } from '../../adapters/wecom/simulator/seed.ts'
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts'
import type { Shown } from './support/company.ts'
import { openHouse } from './support/house.ts'
import { openWecomCompany } from './support/wecom-company.ts'
import type { WecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: WecomHouse
let clock: ShiftedClock
afterEach(() => house?.stop())

/** By then an approval of a second is found to be over. */
const SWEEP_MS = 11_000
const TOKEN = 'yizhanAppToken'
const AES_KEY = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG'

/** A bot that is a self-built app and nothing else; 王芳 talks to it. */
async function open(expires: string): Promise<string> {
  clock = createShiftedClock()
  const company = await openWecomCompany(clock)
  const { control, url } = company.simulator
  const app = `{ corpId: ${DEMO.corpId}, agentId: ${DEMO.agentId}, secret: ${DEMO.appSecret}, token: ${TOKEN}, encodingAesKey: ${AES_KEY}, baseUrl: "${url}" }`
  const botYaml = `{ id: ops, platform: wecom, name: ${DEMO.botName}, app: ${app} }`
  house = await openHouse({ ...company, control, botYaml }, clock, {
    yaml: `approval: { expires: ${expires} }`,
  })
  const callback = { url: `${house.app.listening.url}/webhooks/ops/app`, token: TOKEN, aesKey: AES_KEY }
  const known = control.corp.snapshot().apps.find(({ agentId }) => agentId === DEMO.agentId)
  if (known) control.corp.app({ ...known, callback })
  return appChat(DEMO.agentId, house.people.admin.id)
}

const ask = (chatId: string): Promise<unknown> =>
  house.say('运行 echo x >> count.txt', { chatId, from: house.people.admin })
/** Cards as they stand now; what the card could not hold comes before it in words. */
const cards = (chatId: string): readonly Shown[] =>
  house.shown(chatId).filter(({ id }) => house.control.message(id)?.content.type === 'card')
const painted = (chatId: string, words: string): Promise<unknown> =>
  house.until(
    () =>
      cards(chatId).length === 1 &&
      cards(chatId).every(({ text, buttons }) => text.includes(words) && !buttons[0]),
    `one card that says ${words}`,
  )

/** What was changed by the app's own code for its card. */
const repaints = () =>
  house.app.store.db.selectFrom('outbox').select('state').where('key', 'like', 'd-%').execute()

const begun = async (): Promise<number | undefined> =>
  (await house.app.store.db.selectFrom('outbox').select('attempts').where('key', 'like', 'c-%').execute())[0]
    ?.attempts
const status = async (): Promise<string | undefined> =>
  (await house.app.store.db.selectFrom('approvals').select('status').execute())[0]?.status

describe('cards of a WeCom app', () => {
  it('a typed decision is shown in the card, which loses its buttons', async () => {
    const chatId = await open('10m')
    await ask(chatId)
    await house.until(() => cards(chatId)[0], 'the card')
    const { code } = await house.app.store.db.selectFrom('approvals').select('code').executeTakeFirstOrThrow()
    await house.say(`允许 ${code}`, { chatId, from: house.people.admin })
    await painted(chatId, '已允许')
    await expect.poll(house.timesRun, { timeout: 30_000 }).toBe(1)
    await expect.poll(repaints, { timeout: 30_000 }).toEqual([{ state: 'sent' }])
  })

  it('C8: after /new the card says that it was cancelled', async () => {
    const chatId = await open('10m')
    await ask(chatId)
    await house.until(() => cards(chatId)[0], 'the card')
    await house.say('/new', { chatId, from: house.people.admin })
    await painted(chatId, '已取消')
    await expect.poll(repaints, { timeout: 30_000 }).toEqual([{ state: 'sent' }])
    expect(house.timesRun()).toBe(0)
  })

  it('a click is shown in the card, and so it stays', async () => {
    const chatId = await open('10m')
    await ask(chatId)
    const card = await house.until(() => cards(chatId)[0], 'the card')
    // An app answers a click by a call of its own, which the simulator does not count as its answer.
    const pressed = house.press(card.id, '允许', house.people.admin)
    await painted(chatId, '已允许')
    await expect.poll(repaints, { timeout: 30_000 }).toEqual([{ state: 'sent' }])
    await painted(chatId, '已允许')
    await expect.poll(house.timesRun, { timeout: 30_000 }).toBe(1)
    await pressed
  })

  const orders: readonly { readonly name: string; readonly fault?: AnswerFault }[] = [
    { name: 'in the moment in which the card appears' },
    { name: 'slow to be sent', fault: { name: 'message/send', effect: 'delay', ms: SWEEP_MS + 4_000 } },
    { name: 'refused once', fault: { name: 'message/send', effect: 'error', errcode: -1 } },
  ]
  it.each(orders)('a card whose time is over, $name, says so', async ({ fault }) => {
    const chatId = await open('1s')
    if (fault) house.control.faults.add(fault)
    await ask(chatId)
    // Inside the probe: nothing of the answer to the sending has been read by then.
    const leap = (): true => {
      clock.leap(SWEEP_MS)
      return true
    }
    if (!fault) await house.until(() => cards(chatId).length > 0 && leap(), 'the card')
    if (fault) {
      await expect.poll(begun, { timeout: 30_000, interval: 1 }).toBe(1)
      leap()
    }
    await expect.poll(status, { timeout: 30_000 }).toBe('expired')
    clock.leap(SWEEP_MS)
    const end = () => house.shown(chatId).filter(({ text }) => text.includes('没有人在有效期内批准'))
    await house.until(() => end()[0], 'the end', 60_000)
    await painted(chatId, '已过期')
    await expect.poll(repaints, { timeout: 30_000 }).toEqual([{ state: 'sent' }])
    expect(end()).toHaveLength(1)
    expect(house.timesRun()).toBe(0)
  })
})
