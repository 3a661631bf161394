import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSenderNames, type SenderNames } from '../../../src/session/sender-names.ts'
import { knownNames } from '../../../src/store/repositories/people.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createRecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'
import { person } from '../gateway/stage.ts'

const user = 'feishu:ou_1'
const { name: _, ...nameless } = person(user)

let store: Awaited<ReturnType<typeof openTestStore>>
let clock: ManualClock
let names: SenderNames
let asked: string[]

const adapter = createRecordingAdapter()
adapter.nameOf = async (who) => {
  asked.push(who)
  return '张三丰'
}

beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
  names = createSenderNames({ store, clock, logger: createCollectingLogger() })
  asked = []
})

afterEach(() => store.close())

describe('names of people who write', () => {
  it('takes the name that came with the message', async () => {
    expect(await names.known(person(user, { name: '李四' }), adapter)).toBe('李四')
    expect(asked).toEqual([])
  })

  it('leaves the first question about somebody to the caller', async () => {
    expect(await names.known(nameless, adapter)).toBeUndefined()
  })

  it('uses a learned name at once and asks again behind it, six hours after the last question', async () => {
    await names.learned(user, '张三')
    expect(await names.known(nameless, adapter)).toBe('张三')
    expect(asked).toEqual([])
    await clock.advance(6 * 3_600_000)
    expect(await names.known(nameless, adapter)).toBe('张三')
    await names.drain()
    expect(asked).toEqual([user])
    expect(await knownNames(store.db, [user])).toEqual({ [user]: '张三丰' })
    expect(await names.known(nameless, adapter)).toBe('张三丰')
    expect(asked).toEqual([user])
  })

  it('does not ask with every message when the platform tells no name, but again after ten minutes', async () => {
    await names.learned(user, '')
    expect(await names.known(nameless, adapter)).toBe('')
    await clock.advance(600_000)
    expect(await names.known(nameless, adapter)).toBeUndefined()
  })
})
