/** Two processes on one store: what the one is sending the other neither repeats nor gives up. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOutbox, type Outbox } from '../../../src/outbound/outbox.ts'
import { chatKey } from '../../../src/protocol/address.ts'
import { createPresence, PRESENCE_MS, type Presence } from '../../../src/store/presence.ts'
import { findMailByKey } from '../../../src/store/repositories/outbox.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'
import { address, mail } from './stage.ts'

const chat = chatKey(address)

interface House {
  readonly store: Store & { dataDir: string }
  readonly clock: ManualClock
  readonly adapter: RecordingAdapter
  readonly outbox: Outbox
  readonly presence: Presence
  readonly closed: string[]
}

async function open(owner: string, dataDir?: string, idempotentSendMs = 3_600_000): Promise<House> {
  const store = await openTestStore(dataDir)
  const clock = createManualClock()
  const logger = createCollectingLogger()
  const adapter = createRecordingAdapter({ capabilities: { idempotentSendMs } })
  const presence = createPresence({ db: store.db, clock, logger }, owner)
  const closed: string[] = []
  const outbox = createOutbox({
    ...{ store, clock, logger, presence, random: createSeededRandom(owner) },
    adapter: () => adapter,
    onClosed: async (row, { state }) => void closed.push(`${row.key} ${state}`),
  })
  await presence.start()
  return { store, clock, adapter, outbox, presence, closed }
}

let first: House
let second: House

async function openBoth(idempotentSendMs?: number): Promise<() => void> {
  first = await open('first', undefined, idempotentSendMs)
  second = await open('second', first.store.dataDir, idempotentSendMs)
  const go = first.adapter.pause()
  await first.outbox.put(first.store.db, mail('a'))
  first.outbox.flush(chat)
  await first.clock.advance(0)
  expect(first.adapter.said()).toEqual(['words of a'])
  return go
}

let go: () => void
beforeEach(() => {
  go = () => {}
})
afterEach(async () => {
  go()
  for (const house of [first, second]) {
    await house.outbox.stop()
    await house.store.close()
  }
})

describe('a message that another process is sending', () => {
  it.each([3_600_000, 0])(
    'is left to it, although this one starts and sweeps (window %i)',
    async (window) => {
      go = await openBoth(window)
      await second.outbox.start()
      second.outbox.flush(chat)
      await second.clock.advance(0)
      expect([second.adapter.calls, second.closed]).toEqual([[], []])
      go()
      await first.clock.advance(0)
      expect(first.closed).toEqual(['a sent'])
      expect((await findMailByKey(second.store.db, 'a'))?.state).toBe('sent')
    },
  )

  it('R25: holds back what comes after it in the chat, whoever would send that', async () => {
    go = await openBoth()
    await second.outbox.put(second.store.db, mail('b'))
    second.outbox.flush(chat)
    await second.clock.advance(0)
    expect(second.adapter.calls).toEqual([])
    go()
    await first.clock.advance(0)
    second.outbox.flush(chat)
    await second.clock.advance(0)
    expect([...first.adapter.said(), ...second.adapter.said()]).toEqual(['words of a', 'words of b'])
  })
})

describe('a process that has said nothing for too long', () => {
  it('R22: is gone: its message is repeated under the same key where the platform drops the repeat', async () => {
    go = await openBoth()
    await second.clock.advance(PRESENCE_MS)
    second.outbox.flush(chat)
    await second.clock.advance(0)
    expect(second.adapter.calls.map(({ key }) => key)).toEqual(['a'])
    expect(second.closed).toEqual(['a sent'])
  })

  it('R22: is gone: where a repeat might arrive twice, the outcome is unknown and said so', async () => {
    go = await openBoth(0)
    await second.clock.advance(PRESENCE_MS)
    second.outbox.flush(chat)
    await second.clock.advance(0)
    expect([second.adapter.calls, second.closed]).toEqual([[], ['a unknown']])
  })

  it('R11: was only slow: its late answer changes nothing any more', async () => {
    go = await openBoth(0)
    await second.clock.advance(PRESENCE_MS)
    second.outbox.flush(chat)
    await second.clock.advance(0)
    go()
    await first.clock.advance(0)
    expect(first.closed).toEqual([])
    expect((await findMailByKey(first.store.db, 'a'))?.state).toBe('unknown')
  })

  it('renews while it is well, and leaves at once when it stops', async () => {
    go = await openBoth()
    await first.clock.advance(2 * PRESENCE_MS)
    await second.clock.advance(2 * PRESENCE_MS)
    expect(await second.presence.others()).toEqual(['first'])
    await first.presence.stop()
    expect(await second.presence.others()).toEqual([])
  })
})
