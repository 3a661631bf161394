import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BotChainGuard, createBotChainGuard } from '../../../src/gateway/bot-chain.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { openTestStore } from '../../support/store.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
let clock: ManualClock
beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
})
afterEach(() => store.close())

/** A guard of a process of its own. */
function guardOf(longest: number, broken: () => string | false = () => false): BotChainGuard {
  const db = new Proxy(store.db, {
    get: (target, name) => {
      const what = name === 'selectFrom' ? 'read' : name === 'updateTable' ? 'written' : undefined
      if (what !== undefined && broken() === what) throw new Error('the disk is full')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return createBotChainGuard({ db, clock }, longest)
}
const from = (id: string, user = 'feishu:ou_bot') => ({ id, user })
const MINUTE = 60_000

describe('R27: bots that answer each other slowly', () => {
  it('get three answers in a row, then none, and the end has one name', async () => {
    const guard = guardOf(3)
    const answers: unknown[] = []
    for (let count = 1; count <= 6; count++) {
      answers.push(await guard.take('chat', from(`om_${count}`)))
      await clock.advance(MINUTE)
    }
    const end = { ended: 'om_3' }
    expect(answers).toEqual(['yes', 'yes', 'yes', end, end, end])
  })

  it('are not begun anew by a restart before any of the messages, nor by a second process', async () => {
    const answers: unknown[] = []
    for (let count = 1; count <= 5; count++) {
      answers.push(await guardOf(3).take('chat', from(`om_${count}`)))
      await clock.advance(MINUTE)
    }
    expect(answers).toEqual(['yes', 'yes', 'yes', { ended: 'om_3' }, { ended: 'om_3' }])
  })

  it('two processes that take at the same moment have one chain between them', async () => {
    const [one, two] = [guardOf(3), guardOf(3)]
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? one : two).take('chat', from(`om_${at}`))),
    )
    expect(taken.filter((answer) => answer === 'yes')).toHaveLength(3)
  })

  it('begin anew once a person has spoken, in that chat only', async () => {
    const guard = guardOf(1)
    for (const chat of ['a', 'b']) await guard.take(chat, from('om_1'))
    guard.personSpoke('a')
    expect(await guard.take('a', from('om_2'))).toBe('yes')
    expect(await guard.take('b', from('om_2'))).toEqual({ ended: 'om_1' })
    expect(await guard.take('a', from('om_3'))).toEqual({ ended: 'om_2' })
  })

  it('begin anew once a person’s message was answered by another process; the answer to a bot is none', async () => {
    const guard = guardOf(1)
    await guard.take('chat', from('om_1'))
    const run = { sessionId: 'chat', replyTo: undefined, model: 'main' }
    await clock.advance(2_000)
    await insertRun(store.db, { ...run, id: 'r1', requester: 'feishu:ou_bot' }, clock.now())
    expect(await guard.take('chat', from('om_2'))).toEqual({ ended: 'om_1' })
    await clock.advance(2_000)
    await insertRun(store.db, { ...run, id: 'r2', requester: 'feishu:ou_1' }, clock.now())
    expect(await guard.take('chat', from('om_3'))).toBe('yes')
  })

  it('begin anew after a pause: an alarm every hour is always answered', async () => {
    const guard = guardOf(1)
    for (let count = 0; count < 5; count++) {
      expect(await guard.take('chat', from(`om_${count}`))).toBe('yes')
      await clock.advance(60 * MINUTE)
    }
  })

  it('W5: a repeated delivery of one message counts once and is answered alike', async () => {
    const guard = guardOf(2)
    const answers: unknown[] = []
    for (const id of ['om_1', 'om_1', 'om_2', 'om_1', 'om_3', 'om_3'])
      answers.push(await guard.take('chat', from(id)))
    const end = { ended: 'om_2' }
    expect(answers).toEqual(['yes', 'yes', 'yes', 'yes', end, end])
  })

  it('are never answered, and never told so, where the operator allows none', async () => {
    const guard = guardOf(0)
    guard.personSpoke('chat')
    for (const id of ['om_1', 'om_2']) {
      expect(await guard.take('chat', from(id))).toEqual({ ended: undefined })
    }
  })

  it('two that ask in one moment after a person spoke are both answered', async () => {
    const guard = guardOf(2)
    for (const id of ['om_1', 'om_2']) await guard.take('chat', from(id))
    await clock.advance(MINUTE)
    guard.personSpoke('chat')
    const both = ['om_3', 'om_4'].map((id) => guard.take('chat', from(id)))
    expect(await Promise.all(both)).toEqual(['yes', 'yes'])
    expect(await guard.take('chat', from('om_5'))).toEqual({ ended: expect.stringMatching(/^om_[34]$/) })
  })

  it('one word of a person allows no more than one row, however many ask at that moment', async () => {
    const guard = guardOf(2)
    for (const id of ['om_1', 'om_2']) await guard.take('chat', from(id))
    guard.personSpoke('chat')
    const all = await Promise.all(['om_3', 'om_4', 'om_5', 'om_6'].map((id) => guard.take('chat', from(id))))
    expect(all.filter((answer) => answer === 'yes')).toHaveLength(2)
  })

  it('W5: a fault of the store forgets neither that a person spoke nor the message that was asked for', async () => {
    const faults = ['read', 'written']
    for (const what of faults) {
      const chat = `chat ${what}`
      let broken = false
      const guard = guardOf(1, () => broken && what)
      await guard.take(chat, from('om_1'))
      await clock.advance(MINUTE)
      guard.personSpoke(chat)
      broken = true
      await expect(guard.take(chat, from('om_2'))).rejects.toThrow('the disk is full')
      broken = false
      expect(await guard.take(chat, from('om_2'))).toBe('yes')
    }
  })

  it('W5: a message that was taken is not refused when it comes again right behind one that was', async () => {
    const guard = guardOf(1)
    expect(await guard.take('chat', from('om_1'))).toBe('yes')
    expect(await guard.take('chat', from('om_2'))).toEqual({ ended: 'om_1' })
    expect(await guard.take('chat', from('om_1'))).toBe('yes')
    expect(await guardOf(1).take('chat', from('om_1'))).toBe('yes')
  })

  describe('when somebody sets the clock back an hour', () => {
    it('begin anew: what lies ahead is over', async () => {
      const guard = guardOf(1)
      await guard.take('chat', from('om_1'))
      expect(await guard.take('chat', from('om_2'))).toEqual({ ended: 'om_1' })
      clock.jump(-60 * MINUTE)
      expect(await guard.take('chat', from('om_3'))).toBe('yes')
      expect(await guard.take('chat', from('om_4'))).toEqual({ ended: 'om_3' })
    })

    it.each([1_000, 60 * MINUTE])('a person’s word counts as before, %i ms back', async (back) => {
      const guard = guardOf(1)
      await guard.take('chat', from('om_1'))
      clock.jump(-back)
      guard.personSpoke('chat')
      await clock.advance(back)
      expect(await guard.take('chat', from('om_2'))).toBe('yes')
      expect(await guard.take('chat', from('om_3'))).toEqual({ ended: 'om_2' })
    })
  })
})
