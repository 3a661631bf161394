import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '../../../src/protocol/address.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import { createSpending, type Spending, type SpendingDeps } from '../../../src/worker/spending.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { openTestStore } from '../../support/store.ts'
import { group } from '../gateway/stage.ts'

const DAY_MS = 86_400_000
const dayOf = (at: number) => ({ from: at - (at % DAY_MS), to: at - (at % DAY_MS) + DAY_MS })
const other: Address = { ...group, chatId: 'oc_2' }
const topic: Address = { ...group, threadId: 'omt_1' }

let store: Awaited<ReturnType<typeof openTestStore>>
let clock: ManualClock
let runs = 0
beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
})
afterEach(() => store.close())

const open = (limits: SpendingDeps['limits'], isShared = false): Spending =>
  createSpending({ store, clock, limits, dayOf, isShared })

/** A run that asks for its model's words by and by. */
async function begin(address: Address): Promise<(fresh: number, spending?: Spending) => Promise<void>> {
  const { id: sessionId } = await ensureSession(store.db, address, clock.now())
  const id = `run-${runs++}`
  const row = { id, sessionId, requester: 'feishu:ou_1', replyTo: undefined, model: 'main' }
  await insertRun(store.db, row, clock.now())
  return (fresh, spending = open({})) =>
    spending.add(address, id, {
      ...{ inputTokens: fresh + 900, cachedTokens: 900, outputTokens: 10 },
      ...{ cost: undefined, currency: undefined, model: 'main' },
    })
}

/** A run of another process, or of before a restart, that has asked its model once. */
async function ran(address: Address, fresh: number): Promise<void> {
  const ask = await begin(address)
  await ask(fresh)
}
const usedUp = async (spending: Spending, address: Address = group) => (await spending.of(address))()

describe('R19: tokens of a chat since midnight', () => {
  it('are those that were not cached, of all its sessions, also from before a restart', async () => {
    await ran(group, 40)
    await ran(topic, 40)
    expect(await usedUp(open({ chatDay: 101 }))).toBeUndefined()
    expect(await usedUp(open({ chatDay: 100 }))).toEqual({ name: 'chat_day', tokens: 100 })
    expect(await usedUp(open({ chatDay: 100 }), topic)).toEqual({ name: 'chat_day', tokens: 100 })
    expect(await usedUp(open({ chatDay: 100 }), other)).toBeUndefined()
  })

  it('are counted while a run goes on, so that its next request is not made', async () => {
    const spending = open({ chatDay: 100 })
    const [ask, askInTopic] = [await begin(group), await begin(topic)]
    const look = await spending.of(group)
    await ask(89, spending)
    expect(look()).toBeUndefined()
    await askInTopic(0, spending)
    expect(look()).toEqual({ name: 'chat_day', tokens: 100 })
  })

  it('begin anew at midnight', async () => {
    const spending = open({ chatDay: 50 })
    await ran(group, 40)
    expect(await usedUp(spending)).toBeDefined()
    await clock.advance(DAY_MS)
    expect(await usedUp(spending)).toBeUndefined()
    const ask = await begin(group)
    await ask(40, spending)
    expect(await usedUp(spending)).toBeDefined()
  })

  it('are those of a run over midnight too: it has its limit, and no other run has to begin for that', async () => {
    const spending = open({ chatDay: 100 })
    const ask = await begin(group)
    const look = await spending.of(group)
    await ask(80, spending)
    await clock.advance(DAY_MS)
    expect(look()).toBeUndefined()
    await ask(40, spending)
    expect(look()).toBeUndefined()
    await ask(40, spending)
    expect(look()).toEqual({ name: 'chat_day', tokens: 100 })
    // After a restart it is the same, and what was used before midnight counts no more.
    expect(await usedUp(open({ chatDay: 100 }))).toBeDefined()
    expect(await usedUp(open({ chatDay: 101 }))).toBeUndefined()
  })

  it.each([
    ['a request', ['ask', 'read', 'ask']],
    ['a reading of the store', ['read', 'ask', 'ask']],
  ])('are counted once when %s meets the other', async (_first, order) => {
    for (const chatDay of [100, 101]) {
      const address = { ...group, chatId: `oc_${chatDay}` }
      const spending = open({ chatDay }, true)
      const ask = await begin(address)
      await spending.of(address)
      await clock.advance(60_001)
      await Promise.all(order.map((step) => (step === 'ask' ? ask(40, spending) : spending.of(address))))
      const expected = chatDay === 100 ? { name: 'chat_day', tokens: 100 } : undefined
      expect(await usedUp(spending, address)).toEqual(expected)
      expect(await usedUp(open({ chatDay }), address)).toEqual(expected)
    }
  })
})

describe('R19: tokens of the whole service since midnight', () => {
  it('are those of all chats', async () => {
    await ran(group, 40)
    await ran(other, 40)
    const third = { ...group, chatId: 'oc_3' }
    expect(await usedUp(open({ day: 100 }), third)).toEqual({ name: 'day', tokens: 100 })
    expect(await usedUp(open({ day: 101 }), third)).toBeUndefined()
  })

  it('include those of other processes, a minute later at most', async () => {
    const spending = open({ day: 50 }, true)
    expect(await usedUp(spending)).toBeUndefined()
    await ran(other, 40)
    expect(await usedUp(spending)).toBeUndefined()
    await clock.advance(60_001)
    expect(await usedUp(spending)).toEqual({ name: 'day', tokens: 50 })
  })
})

it('R19: without a limit nothing is read and nobody is stopped', async () => {
  await ran(group, 1_000_000)
  await store.close()
  expect(await usedUp(open({}))).toBeUndefined()
  store = await openTestStore()
})
