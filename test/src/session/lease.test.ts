import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAppError } from '../../../src/protocol/errors.ts'
import { type Lease, STOP_REQUESTED, takeLease } from '../../../src/session/lease.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { appendEntry, readEntries } from '../../../src/store/repositories/session-log.ts'
import {
  ensureSession,
  releaseAllLeases,
  sessionsCutOff,
  setStopRequested,
} from '../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { openTestStore } from '../../support/store.ts'

const address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
const TTL_MS = 30_000

let store: Store
let clock: ManualClock
let id: string

beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
  id = (await ensureSession(store.db, address, clock.now())).id
})
afterEach(() => store.close())

const take = (owner: string): Promise<Lease | undefined> =>
  takeLease({ store, owner, clock, logger: createCollectingLogger() }, id)

async function taken(owner: string): Promise<Lease> {
  const lease = await take(owner)
  if (!lease) throw new Error(`${owner} got no lease`)
  return lease
}

const write = (lease: Lease): Promise<unknown> =>
  appendEntry(
    store.db,
    { sessionId: id, epoch: 0, runId: 'r1', fence: lease.fence },
    { type: 'note', text: `by ${lease.fence}` },
    clock.now(),
  )

describe('takeLease', () => {
  it('is held by one, for as long as it is renewed', async () => {
    const lease = await taken('a')
    await clock.advance(TTL_MS * 4)
    expect(await take('b')).toBeUndefined()
    expect(lease.signal.aborted).toBe(false)
    await lease.release()
    expect((await taken('b')).fence).toBe(2)
  })

  it('R11: may be somebody else’s as soon as it was not renewed in time, before anybody asks the store', async () => {
    const lease = await taken('a')
    await clock.advance(TTL_MS * 2)
    expect(lease.isHeld()).toBe(true)
    clock.jump(TTL_MS)
    expect(lease.isHeld()).toBe(false)
    await clock.advance(5_000)
    expect(lease.isHeld()).toBe(true)
    await lease.release()
    expect(lease.isHeld()).toBe(false)
  })

  it('R11: a worker that slept longer than its lease can write nothing more, and is told', async () => {
    const asleep = await taken('a')
    // The wall goes on while its timers stand still, as they do in a stopped process.
    clock.jump(TTL_MS)
    const awake = await taken('b')
    await expect(write(asleep)).rejects.toMatchObject({ code: 'session.lease_lost' })
    await write(awake)
    await clock.advance(5_000)
    expect(isAppError(asleep.signal.reason, 'session.lease_lost')).toBe(true)
    expect((await readEntries(store.db, id, 0)).map(({ entry }) => entry)).toEqual([
      { type: 'note', text: 'by 2' },
    ])
    expect(awake.signal.aborted).toBe(false)
  })

  it('R11: giving a lost lease back does not take it from the new holder', async () => {
    const asleep = await taken('a')
    clock.jump(TTL_MS)
    const awake = await taken('b')
    await asleep.release()
    await write(awake)
    expect(await take('c')).toBeUndefined()
  })

  it('R11: a lease that was given back writes nothing', async () => {
    const lease = await taken('a')
    await lease.release()
    await expect(write(lease)).rejects.toMatchObject({ code: 'session.lease_lost' })
    expect(clock.pending()).toBe(0)
  })

  it('a wish to stop reaches the holder, wherever it was written down', async () => {
    const lease = await taken('a')
    await setStopRequested(store.db, id, true)
    await clock.advance(5_000)
    expect(isAppError(lease.signal.reason, STOP_REQUESTED)).toBe(true)
  })
})

describe('leases of the dead', () => {
  beforeEach(async () => {
    const run = { id: 'r1', sessionId: id, requester: 'feishu:ou_1', replyTo: undefined, model: 'm' }
    await insertRun(store.db, run, clock.now())
  })

  it('a run is cut off once the lease is past', async () => {
    await taken('a')
    expect(await sessionsCutOff(store.db, clock.now())).toEqual([])
    expect(await sessionsCutOff(store.db, clock.now() + TTL_MS)).toEqual([id])
  })

  it('are given back at once by the process that holds the folder now', async () => {
    await taken('a')
    await releaseAllLeases(store.db)
    expect(await sessionsCutOff(store.db, clock.now())).toEqual([id])
    expect((await taken('b')).fence).toBe(2)
  })
})
