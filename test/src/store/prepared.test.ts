import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepare } from '../../../src/store/prepared.ts'
import { keepsPreparedStatements } from '../../support/prepared-contract.ts'
import { openTestStore } from '../../support/store.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

describe('a prepared statement', () => {
  keepsPreparedStatements(() => store)

  it('is built for every database by itself', async () => {
    let built = 0
    const locks = prepare((db) => {
      built++
      return db.selectFrom('locks').select('name')
    })
    const second = await openTestStore()
    for (const { db } of [store, second, store, second]) await locks.all(db, {})
    await second.close()
    expect(built).toBe(2)
  })
})
