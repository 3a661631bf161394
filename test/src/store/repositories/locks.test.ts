import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOwnerLock } from '../../../../src/store/repositories/locks.ts'
import type { Store } from '../../../../src/store/store.ts'
import { createManualClock } from '../../../support/clock.ts'
import { openTestStore } from '../../../support/store.ts'

let store: Store
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

describe('R37: createOwnerLock', () => {
  it('is held by one process until it is given back or past', async () => {
    const clock = createManualClock()
    const [a, b] = [createOwnerLock(store.db, 'a', clock), createOwnerLock(store.db, 'b', clock)]
    expect(await a.acquire('socket', 1_000)).toBe(true)
    expect(await b.acquire('socket', 1_000)).toBe(false)
    expect(await b.acquire('another', 1_000)).toBe(true)

    clock.jump(999)
    expect(await a.acquire('socket', 1_000)).toBe(true)
    clock.jump(999)
    expect(await b.acquire('socket', 1_000)).toBe(false)
    clock.jump(1)
    expect(await b.acquire('socket', 1_000)).toBe(true)

    await a.release('socket')
    expect(await a.acquire('socket', 1_000)).toBe(false)
    await b.release('socket')
    expect(await a.acquire('socket', 1_000)).toBe(true)
  })
})
