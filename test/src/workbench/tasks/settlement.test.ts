/** What became of a task is told after a crash too, and every step stands in the audit. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../../../src/protocol/workbench.ts'
import type { TaskView } from '../../../../src/workbench/tasks/task.ts'
import { ADMIN, openWorkbench, type WorkbenchBench } from '../bench.ts'
import { createTask, seenTask } from './stage.ts'

let bench: WorkbenchBench
beforeEach(async () => {
  bench = await openWorkbench()
})
afterEach(() => bench.close())

const create = (fields?: object, caller?: Caller): Promise<TaskView> => createTask(bench, fields, caller)
const seen = (id: string): Promise<TaskView> => seenTask(bench, id)

describe('a crash', () => {
  it('R: a run that ended while nobody looked is settled at the next start', async () => {
    const { id } = await create()
    await bench.workbench.execution.execute(bench.a, id)
    const run = await bench.beginRun(id)
    await bench.store.db
      .updateTable('runs')
      .set({ state: 'done', ended_at: 1 })
      .where('id', '=', run)
      .execute()
    bench = await bench.reborn()
    await bench.workbench.start()
    expect(await seen(id)).toMatchObject({ stage: 'completed', executionState: 'completed' })
    const cards = await bench.store.db.selectFrom('outbox').select('ref').execute()
    expect(cards).toEqual([{ ref: `task:${id}` }])
    await bench.workbench.start()
    expect(await bench.store.db.selectFrom('outbox').select('ref').execute()).toHaveLength(1)
  })

  it('R: a task whose message is still waiting, or whose run is open, is left to the worker', async () => {
    const waiting = await create()
    const running = await create()
    for (const { id } of [waiting, running]) await bench.workbench.execution.execute(bench.a, id)
    await bench.beginRun(running.id)
    bench = await bench.reborn()
    await bench.workbench.start()
    expect((await seen(waiting.id)).executionState).toBe('starting')
    expect((await seen(running.id)).executionState).toBe('running')
  })

  it('a message that was dropped with its chat fails the task', async () => {
    const { id } = await create()
    await bench.workbench.execution.execute(bench.a, id)
    await bench.store.db.updateTable('inbox').set({ state: 'dropped' }).execute()
    await bench.workbench.start()
    expect(await seen(id)).toMatchObject({ executionState: 'failed', lastError: 'not_delivered' })
  })
})

describe('the audit', () => {
  it('has every step of a task with who did it', async () => {
    const { id } = await create()
    const { execution } = bench.workbench
    await execution.execute(bench.a, id)
    await bench.endRun(id, await bench.beginRun(id), 'done')
    await bench.workbench.desk.act(
      'pass',
      id,
      bench.a,
      { user: ADMIN, isBot: false, isExternal: false },
      'ok',
    )
    const rows = await bench.store.db.selectFrom('audit').select(['action', 'actor']).execute()
    expect(rows.map((row) => `${row.action} ${row.actor}`)).toEqual([
      'task.created feishu:ou_member',
      'task.executed feishu:ou_member',
      'task.settled system',
      'task.verified feishu:ou_admin',
    ])
  })
})
