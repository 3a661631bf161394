/** The life of a task: started, stopped, gone on with, ended. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../../../src/protocol/workbench.ts'
import type { TaskView } from '../../../../src/workbench/tasks/task.ts'
import { openWorkbench, type WorkbenchBench } from '../bench.ts'
import { code, createTask, seenTask } from './stage.ts'

let bench: WorkbenchBench
beforeEach(async () => {
  bench = await openWorkbench()
})
afterEach(() => bench.close())

const create = (fields?: object, caller?: Caller): Promise<TaskView> => createTask(bench, fields, caller)
const seen = (id: string): Promise<TaskView> => seenTask(bench, id)
const OPENAI = { protocol: 'openai', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' }

describe('the life of a task', () => {
  it('execute: counts the attempt, says starting, wakes the worker; then the run says how far it is', async () => {
    const { id } = await create()
    const begun = await bench.workbench.execution.execute(bench.a, id)
    expect(begun).toMatchObject({
      ...{ stage: 'executing', executionState: 'starting', promptDeliveryState: 'pending' },
      ...{ attempts: 1, runCount: 1 },
    })
    expect(bench.woken).toEqual([bench.agentOf(id).sessionId])
    const run = await bench.beginRun(id)
    expect(await seen(id)).toMatchObject({ executionState: 'running', promptDeliveryState: 'delivered' })
    await bench.store.db.updateTable('runs').set({ state: 'suspended' }).execute()
    expect((await seen(id)).executionState).toBe('waiting')
    await bench.endRun(id, run, 'done')
    expect(await seen(id)).toMatchObject({ stage: 'completed', executionState: 'completed' })
  })

  it('while it is executed: no change, no deletion, no second start, no resume', async () => {
    const { id } = await create()
    const { board, execution } = bench.workbench
    await execution.execute(bench.a, id)
    await expect(board.update(bench.a, id, { title: 'x' })).rejects.toEqual(code('task_executing'))
    await expect(board.delete(bench.a, id)).rejects.toEqual(code('task_executing'))
    await expect(execution.execute(bench.a, id)).rejects.toEqual(code('not_executable'))
    await expect(execution.resume(bench.a, id)).rejects.toEqual(code('not_stopped'))
  })

  it('what did not begin cannot be stopped, resumed, completed or verified', async () => {
    const { id } = await create()
    const { execution, verification } = bench.workbench
    await expect(execution.stop(bench.a, id)).rejects.toEqual(code('not_executing'))
    await expect(execution.resume(bench.a, id)).rejects.toEqual(code('not_stopped'))
    await expect(execution.complete(bench.a, id)).rejects.toEqual(code('not_executing'))
    await expect(verification.byCall(bench.a, 'c', id, '')).rejects.toEqual(code('not_completed'))
  })

  it('complete: not before the agent has its prompt', async () => {
    const { id } = await create()
    await bench.workbench.execution.execute(bench.a, id)
    await expect(bench.workbench.execution.complete(bench.a, id)).rejects.toEqual(code('not_delivered'))
  })

  it('stop before the worker took it: the message is taken back; resume sends another', async () => {
    const { id } = await create()
    const { execution } = bench.workbench
    await execution.execute(bench.a, id)
    expect(await execution.stop(bench.a, id)).toMatchObject({
      ...{ stage: 'executing', executionState: 'stopped', promptDeliveryState: 'failed' },
    })
    await expect(bench.beginRun(id)).rejects.toThrow('no message')
    const resumed = await execution.resume(bench.a, id)
    expect(resumed).toMatchObject({ executionState: 'starting', attempts: 1, runCount: 2 })
    await bench.beginRun(id)
  })

  it('stop of a run: asks it to stop, and waits for its end before it may go on', async () => {
    const { id } = await create()
    const { execution } = bench.workbench
    await execution.execute(bench.a, id)
    const run = await bench.beginRun(id)
    await execution.stop(bench.a, id)
    expect(bench.interrupted).toEqual([bench.agentOf(id).sessionId])
    await expect(execution.resume(bench.a, id)).rejects.toEqual(code('still_stopping'))
    await bench.endRun(id, run, 'stopped')
    expect(await seen(id)).toMatchObject({ stage: 'executing', executionState: 'stopped' })
    expect((await execution.resume(bench.a, id)).executionState).toBe('starting')
  })

  it('another agent for a stopped task sends it back to todo; the same one does not', async () => {
    await bench.close()
    const models = { default: 'demo', profiles: { demo: { protocol: 'demo' }, main: OPENAI } }
    bench = await openWorkbench({ config: { models } })
    const { id } = await create()
    const { board, execution } = bench.workbench
    await execution.execute(bench.a, id)
    await execution.stop(bench.a, id)
    expect(await board.update(bench.a, id, { agentType: 'opencode' })).toMatchObject({ stage: 'executing' })
    expect(await board.update(bench.a, id, { agentType: 'codex' })).toMatchObject({
      ...{ stage: 'todo', executionState: 'idle', promptDeliveryState: 'idle' },
    })
    await expect(execution.resume(bench.a, id)).rejects.toEqual(code('not_stopped'))
    expect((await execution.execute(bench.a, id)).attempts).toBe(2)
    const session = await bench.store.db
      .selectFrom('sessions')
      .select('model')
      .where('id', '=', bench.agentOf(id).sessionId)
      .executeTakeFirst()
    expect(session?.model).toBe('main')
  })

  it('a run that failed says why, and the task can be executed again', async () => {
    const { id } = await create()
    const { execution } = bench.workbench
    await execution.execute(bench.a, id)
    await bench.endRun(id, await bench.beginRun(id), 'failed', 'run.stuck')
    expect(await seen(id)).toMatchObject({
      ...{ stage: 'executing', executionState: 'failed', lastError: 'run.stuck' },
    })
    expect(await execution.execute(bench.a, id)).toMatchObject({ attempts: 2, lastError: null })
  })

  it('as many tasks at once as configured', async () => {
    const tasks = await Promise.all([create(), create(), create(), create()])
    for (const { id } of tasks.slice(0, 3)) await bench.workbench.execution.execute(bench.a, id)
    const fourth = bench.workbench.execution.execute(bench.a, tasks[3]?.id ?? '')
    await expect(fourth).rejects.toEqual(code('tasks_busy'))
    expect((await seen(tasks[3]?.id ?? '')).attempts).toBe(0)
  })

  it('complete: by its own agent while it still speaks, by others with a stop', async () => {
    const first = await create()
    const second = await create()
    const { execution } = bench.workbench
    for (const { id } of [first, second]) {
      await execution.execute(bench.a, id)
      await bench.beginRun(id)
    }
    const other = execution.complete(bench.agentOf(first.id), second.id)
    await expect(other).rejects.toEqual(code('inside_task'))
    expect((await execution.complete(bench.agentOf(first.id), first.id)).stage).toBe('completed')
    expect(bench.interrupted).toEqual([])
    expect((await execution.complete(bench.a, second.id)).stage).toBe('completed')
    expect(bench.interrupted).toEqual([bench.agentOf(second.id).sessionId])
  })

  it('an agent at work makes, starts, changes and judges no task', async () => {
    const { id } = await create()
    const agent = bench.agentOf(id)
    const { board, execution, verification } = bench.workbench
    const inside = code('inside_task')
    await expect(create({}, agent)).rejects.toEqual(inside)
    await expect(board.update(agent, id, { title: 'x' })).rejects.toEqual(inside)
    await expect(board.delete(agent, id)).rejects.toEqual(inside)
    await expect(execution.execute(agent, id)).rejects.toEqual(inside)
    await expect(execution.resume(agent, id)).rejects.toEqual(inside)
    await expect(verification.byCall(agent, 'c', id, '')).rejects.toEqual(inside)
    const plan = await bench.workbench.planOf(agent.sessionId)
    expect(['task_verify', 'task_execute', 'settings_update'].some((tool) => plan?.mayUse(tool))).toBe(false)
    expect(['shell', 'task_complete', 'terminal_write'].every((tool) => plan?.mayUse(tool))).toBe(true)
    expect(await bench.workbench.planOf(bench.a.sessionId)).toBeUndefined()
  })
})
