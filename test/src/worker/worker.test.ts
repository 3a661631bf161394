import { rmSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { MessageEvent } from '../../../src/protocol/inbound.ts'
import { prepareFolders } from '../../../src/session/workspace.ts'
import { waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { insertRun, openRun, recentRuns } from '../../../src/store/repositories/runs.ts'
import { readEntries } from '../../../src/store/repositories/session-log.ts'
import {
  acquireLease,
  findSession,
  setSessionClosed,
  setStopRequested,
} from '../../../src/store/repositories/sessions.ts'
import { ended, openWorker, type Run, session, untilStopped, type WorkerStage } from './stage.ts'

let stage: WorkerStage
afterEach(() => stage.close())

async function open(script?: Run[], dataDir?: string): Promise<WorkerStage> {
  stage = await openWorker(script, dataDir)
  return stage
}

const breaks: Run = async function* () {
  yield { type: 'turn', step: 1 }
  throw new Error('broken')
}

describe('handle', () => {
  it('answers what waits, in one run, and leaves the session free', async () => {
    const { adapter, store, work, say } = await open()
    await say('一')
    await say('二')
    await work()
    expect(adapter.messages()).toEqual(['heard: 一, 二'])
    expect(await findSession(store.db, session)).toMatchObject({ lease_owner: null })
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'done' }])
  })

  it('R25: does nothing while another worker holds the session', async () => {
    const { adapter, store, clock, work, say } = await open()
    await say('一')
    await acquireLease(store.db, session, 'w2', clock.now(), 30_000)
    await work()
    expect(adapter.calls).toEqual([])
    clock.jump(30_000)
    await work()
    expect(adapter.messages()).toEqual(['heard: 一'])
  })

  it('a run that ends without reading its message is followed by another', async () => {
    const skips: Run = async function* () {
      yield ended('not now')
    }
    const { adapter, work, say } = await open([
      skips,
      async function* (view) {
        await view.takeInput()
        yield ended('now')
      },
    ])
    await say('一')
    await work()
    expect(adapter.messages()).toEqual(['not now', 'now'])
  })

  it('a fault of the service is said, and is no end of the session', async () => {
    const { adapter, store, script, work, say } = await open([breaks])
    script.push(async function* (view) {
      await view.takeInput()
      yield ended('again')
    })
    await say('一')
    await work()
    expect(adapter.messages()).toEqual(['run.fault', 'again'])
    expect((await recentRuns(store.db, session, 5)).map(({ state }) => state).sort()).toEqual([
      'done',
      'failed',
    ])
  })

  it('T3: in a chat that is gone nothing is answered, and nothing stays open', async () => {
    const { adapter, store, work, say } = await open()
    await say('一')
    await setSessionClosed(store.db, session, 'bot_removed')
    await work()
    expect(adapter.calls).toEqual([])
    expect(await store.db.selectFrom('inbox').select('state').execute()).toEqual([{ state: 'dropped' }])
  })
})

describe('X4: an answer that names files', () => {
  it.each(['MEDIA:/etc/passwd', '![x](file:///etc/passwd)', '<file path="/etc/shadow"/>', '[图](./a.png)'])(
    '%s sends words, never a file',
    async (words) => {
      const names: Run = async function* (view) {
        await view.takeInput()
        yield ended(words)
      }
      const { adapter, work, say } = await open([names])
      await say('一')
      await work()
      expect(adapter.messages()).toEqual([words])
      expect(adapter.calls.filter(({ message }) => message.type === 'file')).toEqual([])
    },
  )
})

describe('R12: a run that kills its worker', () => {
  /** The run of the oldest waiting message, as its crashes left it. */
  async function openAfter(crashes: number): Promise<void> {
    const { store, say, clock } = await open()
    await say('poison')
    const [row] = await waitingMessages(store.db, session)
    const { replyTo } = JSON.parse(row?.payload ?? '{}') as MessageEvent
    const run = { id: 'r1', sessionId: session, requester: 'feishu:ou_1', replyTo, model: 'm' }
    await insertRun(store.db, run, clock.now())
    await store.db.updateTable('runs').set({ crashes }).execute()
  }

  it.each([0, 1])('is tried again after %i crashes before', async (crashes) => {
    await openAfter(crashes)
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['heard: poison'])
  })

  it('is given up with a word at the third crash; what comes next is answered', async () => {
    await openAfter(2)
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['run.parked'])
    expect(await openRun(stage.store.db, session)).toBeUndefined()
    await stage.say('next')
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['run.parked', 'heard: next'])
  })

  it('takes nobody with it: what others and the same person wrote meanwhile is answered', async () => {
    await openAfter(2)
    await stage.say('and then?')
    await stage.say('what about me?', 'feishu:ou_2')
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['run.parked', 'heard: and then?, what about me?'])
  })

  it('had read its message: all that waits is answered', async () => {
    const { store, say, clock } = await open()
    await say('poison')
    const [row] = await waitingMessages(store.db, session)
    const { replyTo } = JSON.parse(row?.payload ?? '{}') as MessageEvent
    await stage.work()
    const run = { id: 'r2', sessionId: session, requester: 'feishu:ou_1', replyTo, model: 'm' }
    await insertRun(store.db, run, clock.now())
    await store.db.updateTable('runs').set({ crashes: 2 }).where('id', '=', 'r2').execute()
    await store.db.updateTable('session_log').set({ run_id: 'r2' }).execute()
    await say('next')
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['heard: poison', 'run.parked', 'heard: next'])
  })
})

describe('R28: a stop of the service', () => {
  it('leaves the run open, gives the lease back, and the next start ends it once', async () => {
    const first = await open([untilStopped])
    await first.say('一')
    const working = first.work()
    await first.clock.advance(0)
    first.worker.stop()
    await working
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
    script.push(async function* (view) {
      await view.takeInput()
      yield ended('next')
    })
    await say('一')
    const working = work()
    await clock.advance(0)
    await setStopRequested(store.db, session, true)
    worker.interrupt(session, 'session.stop_requested')
    await working
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'stopped' }])
    expect(woken).toEqual([session])
    await say('二')
    await work()
    expect(adapter.messages().at(-1)).toBe('next')
  })

  it('R34: a run without progress is ended by the watchdog, and says so', async () => {
    const { clock, store, adapter, work, say } = await open([untilStopped])
    await say('一')
    const working = work()
    await clock.advance(0)
    await clock.advance(180_000)
    await working
    expect(adapter.messages().at(-1)).toBe('run.stuck')
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'failed', reason: 'run.stuck' }])
  })
})

describe('R39: the workspace', () => {
  it('that is gone is made anew', async () => {
    const { store, adapter, work, say } = await open()
    await say('一')
    await work()
    rmSync(prepareFolders(store.dataDir, session).workspace, { recursive: true })
    await say('二')
    await work()
    expect(adapter.messages().at(-1)).toBe('heard: 二')
  })

  it('that cannot be made is a clear error; the log stays whole and the session goes on later', async () => {
    const { store, adapter, work, worker, say } = await open()
    await say('一')
    await work()
    const { workspace } = prepareFolders(store.dataDir, session)
    const before = await readEntries(store.db, session, 0)
    rmSync(workspace, { recursive: true })
    writeFileSync(workspace, 'in the way')
    await say('二')
    await expect(worker.handle(session)).rejects.toMatchObject({ code: 'session.no_workspace' })
    expect(await readEntries(store.db, session, 0)).toEqual(before)
    rmSync(workspace)
    await work()
    expect(adapter.messages().at(-1)).toBe('heard: 二')
  })
})

describe('what a run leaves behind', () => {
  it('C8: approvals of a run that failed are taken back; those of one that is done were used', async () => {
    const { takenBack, store, script, work, say } = await open([breaks])
    script.push(async function* (view) {
      await view.takeInput()
      yield ended('again')
    })
    await say('一')
    await work()
    const failed = (await recentRuns(store.db, session, 5)).find(({ state }) => state === 'failed')
    expect(takenBack).toEqual([`${session} system ${failed?.id}`])
  })

  it('R42: a message that waited for more than a day is not run; its sender is told', async () => {
    const { adapter, store, clock, work, say } = await open()
    await say('删除 build')
    clock.jump(24 * 3_600_000 + 1)
    await say('你好')
    await work()
    expect(adapter.messages()).toEqual(['gateway.stale', 'heard: 你好'])
    const states = await store.db.selectFrom('inbox').select('state').orderBy('id').execute()
    expect(states.map(({ state }) => state)).toEqual(['dropped', 'taken'])
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
    script.push(async function* (view) {
      await view.takeInput()
      yield ended('next')
    })
    await say('一')
    const working = work()
    await clock.advance(0)
    await clock.advance(180_000 + 30_000)
    await working
    expect(adapter.messages().at(-1)).toBe('run.stuck')
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ state: 'failed', reason: 'run.stuck' }])
    expect(await findSession(store.db, session)).toMatchObject({ lease_owner: null })
    await say('二')
    await work()
    expect(adapter.messages().at(-1)).toBe('next')
  })

  it('R28: does not keep the service from stopping; its run goes on after the next start', async () => {
    const { clock, store, worker, work, say } = await open([deaf])
    await say('一')
    const working = work()
    await clock.advance(0)
    worker.stop()
    await clock.advance(30_000)
    await working
    expect(await openRun(store.db, session)).toMatchObject({ state: 'running' })
  })
})

describe('C19: a message of somebody else that joins a run', () => {
  it('stands behind every call from then on, and behind none before', async () => {
    const seen: (readonly string[] | undefined)[] = []
    const works: Run = async function* (view, deps) {
      await view.takeInput()
      seen.push(deps.toolContext('c1').others)
      await stage.say('二', 'feishu:ou_2')
      await view.takeInput()
      seen.push(deps.toolContext('c2').others)
      yield ended('done')
    }
    const { work, say } = await open([works])
    await say('一')
    await work()
    expect(seen).toEqual([undefined, ['feishu:ou_2']])
  })
})
