/** A chat whose outbox meets a fault goes on: nobody is left looking at “thinking” until the next restart. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { chatKey } from '../../../src/protocol/address.ts'
import type { Store } from '../../../src/store/store.ts'
import { isEmbedded } from '../../support/store.ts'
import { address, busy, mail, type OutboxStage, outboxStages } from './stage.ts'

const MINUTE = 60_000
/** The platform drops no repeat. */
const NO_REPEATS = { idempotentSendMs: 0 }
const open = outboxStages()

const outcomes = ({ closed }: OutboxStage) => closed.map(([key, { state }]) => [key, state])

/** The store refuses to write what came of this row, and of no other. */
async function poison(store: Store, key: string, states: string): Promise<void> {
  await sql
    .raw(
      `create trigger poison before update of state on outbox when old.key = '${key}' and new.state in (${states})
       begin select raise(abort, 'a fault that does not pass'); end`,
    )
    .execute(store.db)
}

const heal = (store: Store): Promise<unknown> => sql`drop trigger poison`.execute(store.db)

describe.runIf(isEmbedded)('a row whose outcome the store refuses for good', () => {
  it('is set aside, told once, and the next ones go on in order', async () => {
    const stage = await open(NO_REPEATS)
    const { store, clock, adapter, send, stateOf } = stage
    await poison(store, 'a', "'sent', 'failed', 'unknown'")
    await send(mail('a'), mail('b'), mail('c'))
    await clock.advance(5 * MINUTE)
    expect(adapter.said()).toEqual(['words of a', 'words of b', 'words of c'])
    expect(outcomes(stage)).toEqual([
      ['a', 'sent'],
      ['b', 'sent'],
      ['c', 'sent'],
    ])
    expect(await stateOf('c')).toBe('sent')
  })

  it('R22: is never sent a second time, and stands as sent once the store takes it', async () => {
    const { store, clock, adapter, outbox, send, stateOf } = await open(NO_REPEATS)
    await poison(store, 'a', "'sent', 'failed', 'unknown'")
    await send(mail('a'))
    await clock.advance(5 * MINUTE)
    await heal(store)
    await clock.advance(10 * MINUTE)
    outbox.flush(chatKey(address))
    await clock.advance(0)
    expect(await stateOf('a')).toBe('sent')
    expect(adapter.said()).toEqual(['words of a'])
  })

  it('that should be tried again is given up, and said so', async () => {
    const stage = await open(NO_REPEATS)
    const { store, clock, adapter, send } = stage
    await poison(store, 'a', "'pending'")
    adapter.fail(busy())
    await send(mail('a'), mail('b'))
    await clock.advance(5 * MINUTE)
    expect(outcomes(stage)).toEqual([
      ['a', 'failed'],
      ['b', 'sent'],
    ])
  })

  it('that cannot be read is given up, and said so', async () => {
    const stage = await open(NO_REPEATS)
    const { store, outbox, send } = stage
    await outbox.put(store.db, mail('a'))
    await store.db.updateTable('outbox').set({ payload: '{' }).execute()
    await send(mail('b'))
    expect(outcomes(stage)).toEqual([
      ['a', 'failed'],
      ['b', 'sent'],
    ])
  })

  it('that cannot be read and was being sent by a dead process is no obstacle either', async () => {
    const stage = await open(NO_REPEATS)
    const { store, outbox, send } = stage
    await outbox.put(store.db, mail('a'))
    await store.db.updateTable('outbox').set({ payload: '{', state: 'sending', owner: 'dead' }).execute()
    await send(mail('b'))
    expect(outcomes(stage)).toEqual([
      ['a', 'unknown'],
      ['b', 'sent'],
    ])
  })
})

describe('a store that is in trouble as a whole', () => {
  it('is tried again by the outbox itself: nobody has to flush, nothing is sent twice', async () => {
    const { store, clock, adapter, outbox, stateOf } = await open(NO_REPEATS)
    await outbox.put(store.db, mail('a'))
    await sql`alter table outbox rename to away`.execute(store.db)
    outbox.flush(chatKey(address))
    await clock.advance(MINUTE)
    expect(adapter.calls).toEqual([])
    await sql`alter table away rename to outbox`.execute(store.db)
    await clock.advance(2 * MINUTE)
    expect(adapter.said()).toEqual(['words of a'])
    expect(await stateOf('a')).toBe('sent')
  })
})

it('a platform that never answers holds its chat up for ten minutes, and then the outcome is unknown', async () => {
  const stage = await open(NO_REPEATS)
  const { clock, adapter, send } = stage
  const go = adapter.pause()
  await send(mail('a'), mail('b'))
  await clock.advance(10 * MINUTE)
  go()
  await clock.advance(0)
  expect(outcomes(stage)).toEqual([
    ['a', 'unknown'],
    ['b', 'sent'],
  ])
  expect(adapter.said()).toEqual(['words of a', 'words of b'])
})

it('whoever is told of a closed message and fails does not stop the chat', async () => {
  const stage = await open(NO_REPEATS)
  const { adapter, send } = stage
  stage.onClosed = () => {
    throw new Error('broken')
  }
  await send(mail('a'), mail('b'))
  expect(adapter.said()).toEqual(['words of a', 'words of b'])
})
