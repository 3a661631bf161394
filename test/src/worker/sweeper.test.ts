import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Approvals } from '../../../src/approval/approvals.ts'
import type { Outbox } from '../../../src/outbound/outbox.ts'
import { chatKey } from '../../../src/protocol/address.ts'
import type { Queue } from '../../../src/queue/queue.ts'
import { closeInbox, findInbox, insertInbox } from '../../../src/store/repositories/inbox.ts'
import { insertOutbox } from '../../../src/store/repositories/outbox.ts'
import { insertRun, setRunState } from '../../../src/store/repositories/runs.ts'
import { ensureSession, setWaitUntil } from '../../../src/store/repositories/sessions.ts'
import { createSweeper, type Sweeper } from '../../../src/worker/sweeper.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { isEmbedded, openTestStore } from '../../support/store.ts'
import { group } from '../gateway/stage.ts'

const DAY_MS = 24 * 3_600_000

let store: Awaited<ReturnType<typeof openTestStore>>
let clock: ManualClock
let sweeper: Sweeper
let seen: string[]
let logger: ReturnType<typeof createCollectingLogger>

beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
  logger = createCollectingLogger()
  seen = []
  sweeper = createSweeper({
    recoverCommands: async () => {},
    wipe: async () => {},
    ...{ store, clock, logger },
    queue: { wake: async (id) => void seen.push(`wake ${id}`) } as Queue,
    outbox: { flush: (chat) => void seen.push(`flush ${chat}`) } as Outbox,
    approvals: { expireDue: async () => void seen.push('expire') } as unknown as Approvals,
  })
})
afterEach(async () => {
  sweeper.stop()
  await store.close()
})

async function message(dedupe: string): Promise<number> {
  await ensureSession(store.db, group, clock.now())
  const row = { dedupe, sessionId: 'ops/oc_1/', botId: 'ops', kind: 'message', state: 'waiting' } as const
  return (await insertInbox(store.db, [{ ...row, payload: '{}', receivedAt: clock.now() }])).get(dedupe) ?? 0
}

async function run(id: string): Promise<void> {
  const { id: sessionId } = await ensureSession(store.db, group, clock.now())
  await insertRun(
    store.db,
    { id, sessionId, requester: 'feishu:ou_1', replyTo: undefined, model: 'm' },
    clock.now(),
  )
}

describe('sweep', () => {
  it('R2: wakes a session whose wake-up was lost', async () => {
    await message('a')
    await sweeper.sweep()
    expect(seen).toEqual(['expire', 'wake ops/oc_1/'])
  })

  it('wakes a session once, whatever speaks for it', async () => {
    await message('a')
    await run('r1')
    await sweeper.sweep()
    expect(seen).toEqual(['expire', 'wake ops/oc_1/'])
  })

  it('lets a run sleep until its time, and not longer', async () => {
    await run('r1')
    await setRunState(store.db, 'r1', 'suspended')
    await setWaitUntil(store.db, 'ops/oc_1/', clock.now() + 60_000)
    await sweeper.sweep()
    expect(seen).toEqual(['expire'])
    clock.jump(60_000)
    await sweeper.sweep()
    expect(seen).toEqual(['expire', 'expire', 'wake ops/oc_1/'])
  })

  it('sends what nobody sends', async () => {
    await insertOutbox(
      store.db,
      {
        ...{ key: 'k', address: group, ref: 'notice', priority: 'high', deadlineMs: 1_000 },
        payload: { message: { type: 'text', text: 'x' } },
      },
      clock.now(),
    )
    await sweeper.sweep()
    expect(seen).toEqual(['expire', `flush ${chatKey(group)}`])
  })

  it('R42: what was answered before a backup is not worked on again', async () => {
    await closeInbox(store.db, [await message('a')], 'taken')
    await sweeper.sweep()
    expect(seen).toEqual(['expire'])
  })

  it('W5: knows the ids of closed events for a week, and waiting ones for ever', async () => {
    await closeInbox(store.db, [await message('old')], 'taken')
    await message('waiting')
    clock.jump(7 * DAY_MS)
    await closeInbox(store.db, [await message('young')], 'taken')
    clock.jump(1)
    await sweeper.sweep()
    const left = await Promise.all(['old', 'waiting', 'young'].map((one) => findInbox(store.db, one)))
    expect(left.map((row) => row?.dedupe)).toEqual([undefined, 'waiting', 'young'])
  })
})

describe('start', () => {
  it('goes round every ten seconds until it is stopped', async () => {
    sweeper.start()
    await clock.advance(30_000)
    expect(seen).toEqual(['expire', 'expire', 'expire'])
    sweeper.stop()
    await clock.advance(30_000)
    expect(seen).toHaveLength(3)
  })

  it.runIf(isEmbedded)('R13: lays the reserve again although nobody asks for readiness', async () => {
    const ballast = join(store.dataDir, 'ballast')
    rmSync(ballast)
    sweeper.start()
    await clock.advance(10_000)
    expect(existsSync(ballast)).toBe(true)
  })

  it('goes on after a round that failed', async () => {
    const probe = store.probe
    let failures = 1
    const flaky = { ...store, probe: () => (failures-- > 0 ? Promise.reject(new Error('full')) : probe()) }
    sweeper = createSweeper({
      recoverCommands: async () => {},
      wipe: async () => {},
      ...{ store: flaky, clock, logger },
      queue: {} as Queue,
      outbox: {} as Outbox,
      approvals: { expireDue: async () => void seen.push('expire') } as unknown as Approvals,
    })
    sweeper.start()
    await clock.advance(20_000)
    expect(seen).toEqual(['expire'])
    expect(logger.lines.map(({ level }) => level)).toEqual(['error'])
  })
})

describe('a round in which one part fails', () => {
  it('does the others all the same, now and in the rounds after', async () => {
    await message('a')
    await insertOutbox(
      store.db,
      {
        ...{ key: 'k', address: group, ref: 'notice', priority: 'high', deadlineMs: DAY_MS },
        payload: { message: { type: 'markdown', markdown: 'x' } },
      },
      clock.now(),
    )
    const broken = createSweeper({
      ...{ store, clock, logger },
      recoverCommands: () => Promise.reject(new Error('commands are broken')),
      wipe: async () => {},
      queue: { wake: async (id) => void seen.push(`wake ${id}`) } as Queue,
      outbox: { flush: (chat) => void seen.push(`flush ${chat}`) } as Outbox,
      approvals: {
        expireDue: () => Promise.reject(new Error('approvals are broken')),
      } as unknown as Approvals,
    })
    await broken.sweep()
    expect(seen).toEqual(['wake ops/oc_1/', `flush ${chatKey(group)}`])
    broken.start()
    await clock.advance(10_000)
    broken.stop()
    expect(seen).toHaveLength(4)
  })
})
