import { describe, expect, it, vi } from 'vitest'
import { openRun, recentRuns } from '../../../src/store/repositories/runs.ts'
import { findSession, setStopRequested } from '../../../src/store/repositories/sessions.ts'
import { ended, type Run, session, untilStopped, type WorkerStage, workerStages } from './stage.ts'

const open = workerStages()

const next: Run = async function* (view) {
  await view.takeInput()
  yield ended('next')
}

/** Says something and lets its run begin; the result resolves when the worker has left it. */
async function begin({
  say,
  work,
  clock,
}: Pick<WorkerStage, 'say' | 'work' | 'clock'>): Promise<{ left: Promise<void> }> {
  await say('一')
  const left = work()
  await clock.advance(0)
  return { left }
}

describe('R28: a stop of the service', () => {
  it('leaves the run open, gives the lease back, and the next start ends it once', async () => {
    const first = await open([untilStopped])
    const { left } = await begin(first)
    first.worker.stop()
    await left
    expect(await openRun(first.store.db, session)).toMatchObject({ state: 'running' })
    expect(await findSession(first.store.db, session)).toMatchObject({ lease_owner: null })
    await first.close()

    const goesOn: Run = async function* (view) {
      yield ended(`${view.entries().filter(({ entry }) => entry.type === 'user').length} message in the log`)
    }
    const second = await open([goesOn], first.store.dataDir)
    await second.work()
    expect(second.adapter.calls.map(({ message }) => message.type)).toContain('live')
    expect(second.adapter.messages().at(-1)).toBe('1 message in the log')
    expect(await recentRuns(second.store.db, session, 5)).toMatchObject([{ state: 'done' }])
  })

  it('is no crash of the run: however often it comes, the run goes on', async () => {
    let stage = await open([untilStopped])
    let { left } = await begin(stage)
    for (let restart = 0; restart < 4; restart++) {
      stage.worker.stop()
      await left
      expect(await openRun(stage.store.db, session)).toMatchObject({ state: 'running', crashes: 0 })
      await stage.close()
      stage = await open([untilStopped], stage.store.dataDir)
      left = stage.work()
      await stage.clock.advance(0)
    }
    expect(stage.adapter.messages()).not.toContain('run.parked')
    stage.worker.stop()
    await left
  })

  it('waits three seconds for a call on the wire, also behind a person’s stop', async () => {
    const { worker, adapter, clock, store, work, say } = await open([
      async function* (...call) {
        yield { type: 'text', delta: '好' }
        yield* untilStopped(...call)
      },
    ])
    const goOn = adapter.pause()
    await say('一')
    let left = false
    const working = work().then(() => {
      left = true
    })
    await vi.waitFor(() => expect(adapter.calls).toHaveLength(1))
    worker.interrupt(session, 'session.stop_requested')
    await clock.advance(60_000)
    worker.stop()
    await clock.advance(2_999)
    expect(left).toBe(false)
    await clock.advance(1)
    await vi.waitFor(() => expect(left).toBe(true))
    goOn()
    await working
    expect(await findSession(store.db, session)).toMatchObject({ lease_owner: null })
  })

  it('waits a second for the sign on the message to be taken away', async () => {
    const { worker, adapter, clock, work, say } = await open([untilStopped])
    const shown = vi.fn<typeof adapter.indicate>(() => new Promise(() => undefined))
    adapter.indicate = shown
    await say('一')
    let left = false
    const working = work().then(() => {
      left = true
    })
    await vi.waitFor(() => expect(shown).toHaveBeenCalled())
    worker.stop()
    await clock.advance(999)
    expect(left).toBe(false)
    await clock.advance(1)
    await working
  })

  it('begins nothing new once it was asked to stop', async () => {
    const { worker, adapter, work, say } = await open()
    worker.stop()
    await say('一')
    await work()
    expect(adapter.calls).toEqual([])
  })
})

describe('a person’s stop', () => {
  it('ends the run, and not the next message', async () => {
    const { worker, store, script, clock, adapter, work, say, woken } = await open([untilStopped])
    script.push(next)
    const { left } = await begin({ say, work, clock })
    await setStopRequested(store.db, session, true)
    worker.interrupt(session, 'session.stop_requested')
    await left
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'stopped' }])
    expect(woken).toEqual([session])
    await say('二')
    await work()
    expect(adapter.messages().at(-1)).toBe('next')
  })

  it('R34: a run without progress is ended by the watchdog, and says so', async () => {
    const { clock, store, adapter, work, say } = await open([untilStopped])
    const { left } = await begin({ say, work, clock })
    await clock.advance(180_000)
    await left
    expect(adapter.messages().at(-1)).toBe('run.stuck')
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'failed', reason: 'run.stuck' }])
  })
})

describe('an engine that listens to nothing', () => {
  const deaf: Run = async function* (view) {
    await view.takeInput()
    yield { type: 'turn', step: 1 }
    await new Promise(() => {})
  }

  it('R34: is left behind by the watchdog; the person is told, and the next message is answered', async () => {
    const { clock, store, adapter, script, work, say } = await open([deaf])
    script.push(next)
    const { left } = await begin({ say, work, clock })
    await clock.advance(180_000 + 30_000)
    await left
    expect(adapter.messages().at(-1)).toBe('run.stuck')
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'failed', reason: 'run.stuck' }])
    expect(await findSession(store.db, session)).toMatchObject({ lease_owner: null })
    await say('二')
    await work()
    expect(adapter.messages().at(-1)).toBe('next')
  })

  it('R28: does not keep the service from stopping; its run goes on after the next start', async () => {
    const { clock, store, worker, work, say } = await open([deaf])
    const { left } = await begin({ say, work, clock })
    worker.stop()
    await clock.advance(30_000)
    await left
    expect(await openRun(store.db, session)).toMatchObject({ state: 'running' })
  })
})
