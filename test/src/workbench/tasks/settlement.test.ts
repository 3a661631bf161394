/** What became of a task is told after a crash too, and every step stands in the audit. */
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../bench.ts'
import { taskStage } from './stage.ts'

const stage = taskStage()
const { create, seen } = stage

describe('a crash', () => {
  it('R: a run that ended while nobody looked is settled at the next start', async () => {
    const { id } = await create()
    await stage.bench.workbench.execution.execute(stage.bench.a, id)
    const run = await stage.bench.beginRun(id)
    await stage.bench.store.db
      .updateTable('runs')
      .set({ state: 'done', ended_at: 1 })
      .where('id', '=', run)
      .execute()
    await stage.reborn()
    await stage.bench.workbench.start()
    expect(await seen(id)).toMatchObject({ stage: 'completed', executionState: 'completed' })
    const cards = await stage.bench.store.db.selectFrom('outbox').select('ref').execute()
    expect(cards).toEqual([{ ref: `task:${id}` }])
    await stage.bench.workbench.start()
    expect(await stage.bench.store.db.selectFrom('outbox').select('ref').execute()).toHaveLength(1)
  })

  it('R: a task whose message is still waiting, or whose run is open, is left to the worker', async () => {
    const waiting = await create()
    const running = await create()
    for (const { id } of [waiting, running]) await stage.bench.workbench.execution.execute(stage.bench.a, id)
    await stage.bench.beginRun(running.id)
    await stage.reborn()
    await stage.bench.workbench.start()
    expect((await seen(waiting.id)).executionState).toBe('starting')
    expect((await seen(running.id)).executionState).toBe('running')
  })

  it('a message that was dropped with its chat fails the task', async () => {
    const { id } = await create()
    await stage.bench.workbench.execution.execute(stage.bench.a, id)
    await stage.bench.store.db.updateTable('inbox').set({ state: 'dropped' }).execute()
    await stage.bench.workbench.start()
    expect(await seen(id)).toMatchObject({ executionState: 'failed', lastError: 'not_delivered' })
  })
})

describe('the audit', () => {
  it('has every step of a task with who did it', async () => {
    const { id } = await create()
    const { execution } = stage.bench.workbench
    await execution.execute(stage.bench.a, id)
    await stage.bench.endRun(id, await stage.bench.beginRun(id), 'done')
    await stage.bench.workbench.desk.act(
      'pass',
      id,
      stage.bench.a,
      { user: ADMIN, isBot: false, isExternal: false },
      'ok',
    )
    const rows = await stage.bench.store.db.selectFrom('audit').select(['action', 'actor']).execute()
    expect(rows.map((row) => `${row.action} ${row.actor}`)).toEqual([
      'task.created feishu:ou_member',
      'task.executed feishu:ou_member',
      'task.settled system',
      'task.verified feishu:ou_admin',
    ])
  })
})
