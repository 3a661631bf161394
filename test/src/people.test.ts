import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Bots } from '../../src/bots.ts'
import { createPeople, type People } from '../../src/people.ts'
import { rememberName } from '../../src/store/repositories/people.ts'
import type { Store } from '../../src/store/store.ts'
import { createManualClock } from '../support/clock.ts'
import { createRecordingAdapter } from '../support/recording-adapter.ts'
import { openTestStore } from '../support/store.ts'

let store: Store
let people: People
let asked: string[]

beforeEach(async () => {
  store = await openTestStore()
  asked = []
  const feishu = createRecordingAdapter({ botId: 'ops' })
  feishu.nameOf = async (user) => {
    asked.push(user)
    return user === 'feishu:ou_1' ? '张三' : undefined
  }
  const silent = createRecordingAdapter({ botId: 'wx', platform: 'wecom' })
  people = createPeople({
    store,
    bots: { all: () => [feishu, silent] } as unknown as Bots,
    clock: createManualClock(),
  })
})
afterEach(() => store.close())

describe('createPeople', () => {
  it('learns names from the platform of the person, and from no other', async () => {
    await people.learn(['feishu:ou_1', 'feishu:ou_2', 'wecom:lisi'])
    expect(asked).toEqual(['feishu:ou_1', 'feishu:ou_2'])
    expect(await people.names(['feishu:ou_1', 'feishu:ou_2', 'wecom:lisi'])).toEqual({
      'feishu:ou_1': '张三',
    })
  })

  it('adds a known name to a sender without one, and keeps the one that came along', async () => {
    await rememberName(store.db, 'feishu:ou_1', '张三', 1)
    const sender = { user: 'feishu:ou_1', isBot: false, isExternal: false } as const
    expect(await people.named(sender)).toEqual({ ...sender, name: '张三' })
    expect(await people.named({ ...sender, name: '三哥' })).toEqual({ ...sender, name: '三哥' })
    const stranger = { ...sender, user: 'feishu:ou_9' } as const
    expect(await people.named(stranger)).toBe(stranger)
  })
})
