/**
 * The way of a message through the queue: into the inbox, the session woken and leased, the message
 * closed, the lease given back; each step on disk before the next, over the product's own store.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInboxWriter } from '../../src/gateway/inbox-writer.ts'
import type { Address } from '../../src/protocol/address.ts'
import { sessionKey } from '../../src/protocol/address.ts'
import { createEmbeddedQueue } from '../../src/queue/embedded.ts'
import type { Handler } from '../../src/queue/queue.ts'
import { takeLease } from '../../src/session/lease.ts'
import { closeInbox, waitingMessages } from '../../src/store/repositories/inbox.ts'
import { openStore } from '../../src/store/store.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { atMost, quantile, type Row } from './row.ts'

const CHATS = 500
const IN_FLIGHT = 256
const PAYLOAD = JSON.stringify({ text: 'x'.repeat(700) })

export async function measureQueue(quick: boolean): Promise<Row[]> {
  const jobs = quick ? 8_000 : 40_000
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-bench-'))
  const line = await openLine(dataDir)
  try {
    await line.push(2_000, IN_FLIGHT)
    const best = []
    for (let round = 0; round < 3; round++) best.push(await line.push(jobs / 4, IN_FLIGHT))
    const perSecond = Math.max(...best.map(({ perSecond: rate }) => rate))
    const alone = await line.push(quick ? 200 : 1_000, 1)
    return [
      {
        ...{ name: 'queue: add → claim → done, durable', value: perSecond, unit: '/s' },
        ...{ baseline: null, ratio: null, target: '≥ 8000 /s (aim 20000)', ok: perSecond >= 8_000 },
      },
      atMost('queue: add → picked up, one at a time, p50', quantile(alone.waits, 0.5), 'ms', 3),
    ]
  } finally {
    await line.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

interface Line {
  /** Sends so many messages through, so many of them at once. */
  push(count: number, inFlight: number): Promise<{ perSecond: number; waits: number[] }>
  close(): Promise<void>
}

async function openLine(dataDir: string): Promise<Line> {
  const logger = createCollectingLogger()
  const clock = createSystemClock()
  const store = await openStore({ dataDir, logger })
  const writer = createInboxWriter(store, clock)
  const queue = createEmbeddedQueue(logger)
  const addedAt = new Map<number, number>()
  const done = new Map<number, () => void>()
  let waits: number[] = []
  let next = 0

  const handle: Handler = async (sessionId) => {
    const lease = await takeLease({ store, owner: 'bench', clock, logger }, sessionId)
    if (!lease) throw new Error(`${sessionId} is held`)
    const rows = await waitingMessages(store.db, sessionId)
    const now = performance.now()
    for (const { id } of rows) waits.push(now - (addedAt.get(id) ?? now))
    const ids = rows.map(({ id }) => id)
    await Promise.all([closeInbox(store.db, ids, 'taken'), lease.release()])
    for (const id of ids) {
      done.get(id)?.()
      addedAt.delete(id)
      done.delete(id)
    }
    return 'done'
  }
  const consumer = queue.consume(handle, IN_FLIGHT)

  const one = async (): Promise<void> => {
    const index = next++
    const address: Address = { botId: 'bench', chatId: `oc_${index % CHATS}`, chatType: 'group' }
    const sessionId = sessionKey(address)
    const row = { dedupe: `bench:m:${index}`, sessionId, botId: 'bench', payload: PAYLOAD, receivedAt: 1 }
    const id = await writer.add({ ...row, kind: 'message', state: 'waiting' }, address, row.dedupe)
    if (id === undefined) throw new Error('a new message was taken for an old one')
    const closed = new Promise<void>((resolve) => done.set(id, resolve))
    addedAt.set(id, performance.now())
    await queue.wake(sessionId)
    await closed
  }
  return {
    push: async (count, inFlight) => {
      waits = []
      let left = count
      const began = performance.now()
      const lane = async (): Promise<void> => {
        while (left-- > 0) await one()
      }
      await Promise.all(Array.from({ length: inFlight }, lane))
      return { perSecond: (count / (performance.now() - began)) * 1_000, waits }
    },
    close: async () => {
      await consumer.drain()
      await store.close()
    },
  }
}
