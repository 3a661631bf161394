import { describe, expect, it } from 'vitest'
import type { MessageEvent } from '../../../src/protocol/inbound.ts'
import { waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { insertRun, openRun } from '../../../src/store/repositories/runs.ts'
import { session, type WorkerStage, workerStages } from './stage.ts'

const open = workerStages()

describe('R12: a run that kills its worker', () => {
  /** The run of the oldest waiting message, as its crashes left it. */
  async function openAfter(crashes: number): Promise<WorkerStage> {
    const stage = await open()
    const { store, say, clock } = stage
    await say('poison')
    const [row] = await waitingMessages(store.db, session)
    const { replyTo } = JSON.parse(row?.payload ?? '{}') as MessageEvent
    const run = { id: 'r1', sessionId: session, requester: 'feishu:ou_1', replyTo, model: 'm' }
    await insertRun(store.db, run, clock.now())
    await store.db.updateTable('runs').set({ crashes }).execute()
    return stage
  }

  it.each([0, 1])('is tried again after %i crashes before', async (crashes) => {
    const stage = await openAfter(crashes)
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['heard: poison'])
  })

  it('is given up with a word at the third crash; what comes next is answered', async () => {
    const stage = await openAfter(2)
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['run.parked'])
    expect(await openRun(stage.store.db, session)).toBeUndefined()
    await stage.say('next')
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['run.parked', 'heard: next'])
  })

  it('takes nobody with it: what others and the same person wrote meanwhile is answered', async () => {
    const stage = await openAfter(2)
    await stage.say('and then?')
    await stage.say('what about me?', 'feishu:ou_2')
    await stage.work()
    expect(stage.adapter.messages()).toEqual(['run.parked', 'heard: and then?, what about me?'])
  })

  it('had read its message: all that waits is answered', async () => {
    const stage = await open()
    const { store, say, clock } = stage
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
