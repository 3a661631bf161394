import { describe, expect, it } from 'vitest'
import { openRun, recentRuns } from '../../../src/store/repositories/runs.ts'
import { setStopRequested } from '../../../src/store/repositories/sessions.ts'
import { outOfSpace } from '../../support/full-disk.ts'
import { isEmbedded } from '../../support/store.ts'
import { ended, type Run, session, workerStages } from './stage.ts'

const open = workerStages()

/** Nothing that large fits into the pages that are there. */
const LARGE = 'x'.repeat(400_000)
const LONGEST_PAUSE_MS = 600_000
const writes: Run = async function* (view) {
  await view.takeInput()
  yield { type: 'turn', step: 1 }
  await view.append({ type: 'assistant', text: LARGE, toolCalls: [], model: 'main' })
  const heard = view.entries().filter(({ entry }) => entry.type === 'user').length
  yield ended(`done after ${heard} message`)
}

describe.runIf(isEmbedded)('R13: a run in its middle', () => {
  it('waits for room however often it is tried, and then goes on where it stood', async () => {
    const { store, adapter, clock, work, say } = await open([writes])
    await say('write it')
    const room = await outOfSpace(store)
    for (let round = 0; round < 5; round++) {
      await expect(work()).rejects.toMatchObject({ code: 'store.full' })
      await clock.advance(LONGEST_PAUSE_MS)
    }
    expect(await openRun(store.db, session)).toMatchObject({ state: 'running', crashes: 0 })
    expect(adapter.messages().filter((text) => text.startsWith('run.'))).toEqual([])

    await room()
    await work()
    expect(adapter.messages().at(-1)).toBe('done after 1 message')
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'done' }])
  })

  it('takes nobody with it: the chat’s next message waits too, and is answered', async () => {
    const { store, adapter, work, say } = await open([writes])
    await say('write it')
    const room = await outOfSpace(store)
    await expect(work()).rejects.toMatchObject({ code: 'store.full' })
    await say('and this')
    await room()
    await work()
    expect(adapter.messages().at(-1)).toBe('done after 2 message')
  })

  it('asks its model again after growing pauses only, however often it is woken', async () => {
    const { store, clock, say, asked, sweepFor } = await counting()
    await say('write it')
    const room = await outOfSpace(store)
    await sweepFor(3_600_000)
    // After 20, 60, 140, 300 and 620 seconds, and then every ten minutes.
    expect(asked()).toBe(10)
    expect(await openRun(store.db, session)).toMatchObject({ state: 'running' })
    await room()
    await sweepFor(600_000)
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'done' }])

    // The next one that finds no room begins with a short pause again.
    await say('and another')
    const again = await outOfSpace(store)
    const before = asked()
    await sweepFor(30_000)
    expect(asked() - before).toBe(2)
    await again()
    await clock.advance(0)
  })

  it('goes on at once when somebody writes or stops it', async () => {
    const { store, say, work, asked } = await counting()
    await say('write it')
    await outOfSpace(store, 12)
    await expect(work()).rejects.toMatchObject({ code: 'store.full' })
    await work()
    expect(asked()).toBe(1)
    await say('is there room now?')
    await expect(work()).rejects.toMatchObject({ code: 'store.full' })
    expect(asked()).toBe(2)
    await setStopRequested(store.db, session, true)
    await work()
    expect(await openRun(store.db, session)).toBeUndefined()
  })

  async function counting() {
    let asked = 0
    const stage = await open([
      async function* (view, deps, signal) {
        if (signal.aborted) return yield { type: 'ended', outcome: 'stopped', text: '' }
        asked += 1
        yield* writes(view, deps, signal)
      },
    ])
    /** Wakes the session every ten seconds, as the sweeper does. */
    const sweepFor = async (ms: number): Promise<void> => {
      for (let waited = 0; waited < ms; waited += 10_000) {
        await stage.work().catch(() => undefined)
        await stage.clock.advance(10_000)
      }
    }
    return { ...stage, asked: () => asked, sweepFor }
  }
})
