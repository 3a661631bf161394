import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RequestFault } from '../../adapters/feishu/simulator/index.ts'
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: FeishuHouse
let clock: ShiftedClock
afterEach(() => house?.stop())

/** By then an approval of a second is found to be over. */
const SWEEP_MS = 11_000
const REPLY = 'POST /open-apis/im/v1/messages/:message_id/reply'

async function open(): Promise<void> {
  clock = createShiftedClock()
  house = await openFeishuHouse({ yaml: 'approval: { expires: 1s }' }, clock)
}

const mails = () => house.app.store.db.selectFrom('outbox').select(['key', 'state', 'attempts']).execute()

/** The answer came, no card offers buttons, and the card, if there is one, was painted once. */
async function settledOnce(cards: number): Promise<void> {
  const answered = await house.until(() => house.finals()[0], 'the end', 60_000)
  expect(answered.text).toContain('没有人在有效期内批准')
  const quiet = async (): Promise<boolean> => {
    const open = (await mails()).filter(({ state }) => state === 'pending' || state === 'sending')
    return open.length === 0
  }
  await expect.poll(quiet, { timeout: 30_000 }).toBe(true)
  expect(house.shown().filter(({ buttons }) => buttons.length > 0)).toEqual([])
  expect(house.shown().filter(({ text }) => text.includes('已过期'))).toHaveLength(cards)
  expect(house.shown().filter(({ text }) => text.includes('待审批'))).toEqual([])
  expect(house.finals()).toHaveLength(1)
  expect(house.timesRun()).toBe(0)
}

describe('an approval whose time is over while its card is on its way', () => {
  it('in the moment in which the card appears: the card says so', async () => {
    await open()
    await house.say('运行 echo x >> count.txt')
    await house.until(() => {
      const isThere = house.shown().some(({ buttons }) => buttons.includes('允许'))
      if (isThere) clock.leap(SWEEP_MS)
      return isThere
    }, 'the card')
    await settledOnce(1)
  })

  const faults: readonly { readonly name: string; readonly fault: RequestFault }[] = [
    { name: 'the platform is slow', fault: { delayMs: SWEEP_MS + 4_000 } },
    { name: 'the platform refuses it once', fault: { status: 400, code: 99991400 } },
    { name: 'the platform takes it, and nobody hears', fault: { break: 'drop_after' } },
  ]
  it.each(faults)('$name: the card says so', async ({ fault }) => {
    await open()
    house.control.faults.onRequest({ route: REPLY, after: 1, ...fault })
    await house.say('运行 echo x >> count.txt')
    const begun = async () => (await mails()).find(({ key }) => key.startsWith('c-'))?.attempts
    await expect.poll(begun, { timeout: 30_000, interval: 1 }).toBe(1)
    clock.leap(SWEEP_MS)
    const isOver = async (): Promise<boolean> =>
      (await house.app.store.db.selectFrom('approvals').select('status').execute())[0]?.status === 'expired'
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true)
    clock.leap(SWEEP_MS)
    await settledOnce(1)
  })
})
