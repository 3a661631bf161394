/** A chat whose outbox meets a fault goes on: nobody is left looking at “thinking” until the next restart. */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOutbox, type Delivery, type Outbox } from '../../../src/outbound/outbox.ts'
import { type Address, chatKey } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { findMailByKey } from '../../../src/store/repositories/outbox.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'

const address: Address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' }
const MINUTE = 60_000

let store: Store
let clock: ManualClock
let adapter: RecordingAdapter
let outbox: Outbox
let closed: (readonly [string, Delivery['state']])[]
let onClosed: () => void

beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
  adapter = createRecordingAdapter({ capabilities: { idempotentSendMs: 0 } })
  closed = []
  onClosed = () => {}
  outbox = createOutbox({
    ...{ store, clock, random: createSeededRandom(), logger: createCollectingLogger() },
    adapter: () => adapter,
    onClosed: async (row, { state }) => {
      closed.push([row.key, state])
      onClosed()
    },
  })
})
afterEach(async () => {
  await outbox.stop()
  await store.close()
})

async function send(...keys: string[]): Promise<void> {
  for (const key of keys) {
    await outbox.put(store.db, {
      ...{ key, address, ref: 'notice', priority: 'high', deadlineMs: 60 * MINUTE },
      payload: { message: { type: 'markdown', markdown: key } },
    })
  }
  outbox.flush(chatKey(address))
  await clock.advance(0)
}

const stateOf = async (key: string): Promise<string | undefined> =>
  (await findMailByKey(store.db, key))?.state

/** The store refuses to write what came of this row, and of no other. */
async function poison(key: string, states: string): Promise<void> {
  await sql
    .raw(
      `create trigger poison before update of state on outbox when old.key = '${key}' and new.state in (${states})
       begin select raise(abort, 'a fault that does not pass'); end`,
    )
    .execute(store.db)
}

const heal = (): Promise<unknown> => sql`drop trigger poison`.execute(store.db)

describe('a row whose outcome the store refuses for good', () => {
  it('is set aside, told once, and the next ones go on in order', async () => {
    await poison('a', "'sent', 'failed', 'unknown'")
    await send('a', 'b', 'c')
    await clock.advance(5 * MINUTE)
    expect(adapter.said()).toEqual(['a', 'b', 'c'])
    expect(closed).toEqual([
      ['a', 'sent'],
      ['b', 'sent'],
      ['c', 'sent'],
    ])
    expect(await stateOf('c')).toBe('sent')
  })

  it('R22: is never sent a second time, and stands as sent once the store takes it', async () => {
    await poison('a', "'sent', 'failed', 'unknown'")
    await send('a')
    await clock.advance(5 * MINUTE)
    await heal()
    await clock.advance(10 * MINUTE)
    outbox.flush(chatKey(address))
    await clock.advance(0)
    expect(await stateOf('a')).toBe('sent')
    expect(adapter.said()).toEqual(['a'])
  })

  it('that should be tried again is given up, and said so', async () => {
    await poison('a', "'pending'")
    adapter.fail(new AppError('feishu.busy', 'later', { retryable: true }))
    await send('a', 'b')
    await clock.advance(5 * MINUTE)
    expect(closed).toEqual([
      ['a', 'failed'],
      ['b', 'sent'],
    ])
  })

  it('that cannot be read is given up, and said so', async () => {
    await send()
    await outbox.put(store.db, {
      ...{ key: 'a', address, ref: 'notice', priority: 'high', deadlineMs: MINUTE },
      payload: { message: { type: 'markdown', markdown: 'a' } },
    })
    await store.db.updateTable('outbox').set({ payload: '{' }).execute()
    await send('b')
    expect(closed).toEqual([
      ['a', 'failed'],
      ['b', 'sent'],
    ])
  })

  it('that cannot be read and was being sent by a dead process is no obstacle either', async () => {
    await outbox.put(store.db, {
      ...{ key: 'a', address, ref: 'notice', priority: 'high', deadlineMs: MINUTE },
      payload: { message: { type: 'markdown', markdown: 'a' } },
    })
    await store.db.updateTable('outbox').set({ payload: '{', state: 'sending', owner: 'dead' }).execute()
    await send('b')
    expect(closed).toEqual([
      ['a', 'unknown'],
      ['b', 'sent'],
    ])
  })
})

describe('a store that is in trouble as a whole', () => {
  it('is tried again by the outbox itself: nobody has to flush, nothing is sent twice', async () => {
    await send()
    await outbox.put(store.db, {
      ...{ key: 'a', address, ref: 'notice', priority: 'high', deadlineMs: 60 * MINUTE },
      payload: { message: { type: 'markdown', markdown: 'a' } },
    })
    await sql`alter table outbox rename to away`.execute(store.db)
    outbox.flush(chatKey(address))
    await clock.advance(MINUTE)
    expect(adapter.calls).toEqual([])
    await sql`alter table away rename to outbox`.execute(store.db)
    await clock.advance(2 * MINUTE)
    expect(adapter.said()).toEqual(['a'])
    expect(await stateOf('a')).toBe('sent')
  })
})

it('a platform that never answers holds its chat up for ten minutes, and then the outcome is unknown', async () => {
  const go = adapter.pause()
  await send('a', 'b')
  await clock.advance(10 * MINUTE)
  go()
  await clock.advance(0)
  expect(closed).toEqual([
    ['a', 'unknown'],
    ['b', 'sent'],
  ])
  expect(adapter.said()).toEqual(['a', 'b'])
})

it('whoever is told of a closed message and fails does not stop the chat', async () => {
  onClosed = () => {
    throw new Error('broken')
  }
  await send('a', 'b')
  expect(adapter.said()).toEqual(['a', 'b'])
})
