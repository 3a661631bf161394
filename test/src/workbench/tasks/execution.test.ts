/** The life of a task: started, stopped, gone on with, ended. */
import { describe, expect, it } from 'vitest'
import { code, taskStage } from './stage.ts'

const stage = taskStage()
const { create, seen } = stage
const OPENAI = { protocol: 'openai', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' }

describe('the life of a task', () => {
  it('execute: counts the attempt, says starting, wakes the worker; then the run says how far it is', async () => {
    const { id } = await create()
    const begun = await stage.bench.workbench.execution.execute(stage.bench.a, id)
    expect(begun).toMatchObject({
      ...{ stage: 'executing', executionState: 'starting', promptDeliveryState: 'pending' },
      ...{ attempts: 1, runCount: 1 },
    })
    expect(stage.bench.woken).toEqual([stage.bench.agentOf(id).sessionId])
    const run = await stage.bench.beginRun(id)
    expect(await seen(id)).toMatchObject({ executionState: 'running', promptDeliveryState: 'delivered' })
    await stage.bench.store.db.updateTable('runs').set({ state: 'suspended' }).execute()
    expect((await seen(id)).executionState).toBe('waiting')
    await stage.bench.endRun(id, run, 'done')
    expect(await seen(id)).toMatchObject({ stage: 'completed', executionState: 'completed' })
  })

  it('while it is executed: no change, no deletion, no second start, no resume', async () => {
    const { id } = await create()
    const { board, execution } = stage.bench.workbench
    await execution.execute(stage.bench.a, id)
    await expect(board.update(stage.bench.a, id, { title: 'x' })).rejects.toEqual(code('task_executing'))
    await expect(board.delete(stage.bench.a, id)).rejects.toEqual(code('task_executing'))
    await expect(execution.execute(stage.bench.a, id)).rejects.toEqual(code('not_executable'))
    await expect(execution.resume(stage.bench.a, id)).rejects.toEqual(code('not_stopped'))
  })

  it('what did not begin cannot be stopped, resumed, completed or verified', async () => {
    const { id } = await create()
    const { execution, verification } = stage.bench.workbench
    await expect(execution.stop(stage.bench.a, id)).rejects.toEqual(code('not_executing'))
    await expect(execution.resume(stage.bench.a, id)).rejects.toEqual(code('not_stopped'))
    await expect(execution.complete(stage.bench.a, id)).rejects.toEqual(code('not_executing'))
    await expect(verification.byCall(stage.bench.a, 'c', id, '')).rejects.toEqual(code('not_completed'))
  })

  it('complete: not before the agent has its prompt', async () => {
    const { id } = await create()
    await stage.bench.workbench.execution.execute(stage.bench.a, id)
    await expect(stage.bench.workbench.execution.complete(stage.bench.a, id)).rejects.toEqual(
      code('not_delivered'),
    )
  })

  it('stop before the worker took it: the message is taken back; resume sends another', async () => {
    const { id } = await create()
    const { execution } = stage.bench.workbench
    await execution.execute(stage.bench.a, id)
    expect(await execution.stop(stage.bench.a, id)).toMatchObject({
      ...{ stage: 'executing', executionState: 'stopped', promptDeliveryState: 'failed' },
    })
    await expect(stage.bench.beginRun(id)).rejects.toThrow('no message')
    const resumed = await execution.resume(stage.bench.a, id)
    expect(resumed).toMatchObject({ executionState: 'starting', attempts: 1, runCount: 2 })
    await stage.bench.beginRun(id)
  })

  it('stop of a run: asks it to stop, and waits for its end before it may go on', async () => {
    const { id } = await create()
    const { execution } = stage.bench.workbench
    await execution.execute(stage.bench.a, id)
    const run = await stage.bench.beginRun(id)
    await execution.stop(stage.bench.a, id)
    expect(stage.bench.interrupted).toEqual([stage.bench.agentOf(id).sessionId])
    await expect(execution.resume(stage.bench.a, id)).rejects.toEqual(code('still_stopping'))
    await stage.bench.endRun(id, run, 'stopped')
    expect(await seen(id)).toMatchObject({ stage: 'executing', executionState: 'stopped' })
    expect((await execution.resume(stage.bench.a, id)).executionState).toBe('starting')
  })

  it('another agent for a stopped task sends it back to todo; the same one does not', async () => {
    const models = { default: 'demo', profiles: { demo: { protocol: 'demo' }, main: OPENAI } }
    await stage.reopen({ config: { models } })
    const { id } = await create()
    const { board, execution } = stage.bench.workbench
    await execution.execute(stage.bench.a, id)
    await execution.stop(stage.bench.a, id)
    expect(await board.update(stage.bench.a, id, { agentType: 'opencode' })).toMatchObject({
      stage: 'executing',
    })
    expect(await board.update(stage.bench.a, id, { agentType: 'codex' })).toMatchObject({
      ...{ stage: 'todo', executionState: 'idle', promptDeliveryState: 'idle' },
    })
    await expect(execution.resume(stage.bench.a, id)).rejects.toEqual(code('not_stopped'))
    expect((await execution.execute(stage.bench.a, id)).attempts).toBe(2)
    const session = await stage.bench.store.db
      .selectFrom('sessions')
      .select('model')
      .where('id', '=', stage.bench.agentOf(id).sessionId)
      .executeTakeFirst()
    expect(session?.model).toBe('main')
  })

  it('a run that failed says why, and the task can be executed again', async () => {
    const { id } = await create()
    const { execution } = stage.bench.workbench
    await execution.execute(stage.bench.a, id)
    await stage.bench.endRun(id, await stage.bench.beginRun(id), 'failed', 'run.stuck')
    expect(await seen(id)).toMatchObject({
      ...{ stage: 'executing', executionState: 'failed', lastError: 'run.stuck' },
    })
    expect(await execution.execute(stage.bench.a, id)).toMatchObject({ attempts: 2, lastError: null })
  })

  it('as many tasks at once as configured', async () => {
    const tasks = await Promise.all([create(), create(), create(), create()])
    for (const { id } of tasks.slice(0, 3)) await stage.bench.workbench.execution.execute(stage.bench.a, id)
    const fourth = stage.bench.workbench.execution.execute(stage.bench.a, tasks[3]?.id ?? '')
    await expect(fourth).rejects.toEqual(code('tasks_busy'))
    expect((await seen(tasks[3]?.id ?? '')).attempts).toBe(0)
  })

  it('complete: by its own agent while it still speaks, by others with a stop', async () => {
    const first = await create()
    const second = await create()
    const { execution } = stage.bench.workbench
    for (const { id } of [first, second]) {
      await execution.execute(stage.bench.a, id)
      await stage.bench.beginRun(id)
    }
    const other = execution.complete(stage.bench.agentOf(first.id), second.id)
    await expect(other).rejects.toEqual(code('inside_task'))
    expect((await execution.complete(stage.bench.agentOf(first.id), first.id)).stage).toBe('completed')
    expect(stage.bench.interrupted).toEqual([])
    expect((await execution.complete(stage.bench.a, second.id)).stage).toBe('completed')
    expect(stage.bench.interrupted).toEqual([stage.bench.agentOf(second.id).sessionId])
  })

  it('an agent at work makes, starts, changes and judges no task', async () => {
    const { id } = await create()
    const agent = stage.bench.agentOf(id)
    const { board, execution, verification } = stage.bench.workbench
    const inside = code('inside_task')
    await expect(create({}, agent)).rejects.toEqual(inside)
    await expect(board.update(agent, id, { title: 'x' })).rejects.toEqual(inside)
    await expect(board.delete(agent, id)).rejects.toEqual(inside)
    await expect(execution.execute(agent, id)).rejects.toEqual(inside)
    await expect(execution.resume(agent, id)).rejects.toEqual(inside)
    await expect(verification.byCall(agent, 'c', id, '')).rejects.toEqual(inside)
    const plan = await stage.bench.workbench.planOf(agent.sessionId)
    expect(['task_verify', 'task_execute', 'settings_update'].some((tool) => plan?.mayUse(tool))).toBe(false)
    expect(['shell', 'task_complete', 'terminal_write'].every((tool) => plan?.mayUse(tool))).toBe(true)
    expect(await stage.bench.workbench.planOf(stage.bench.a.sessionId)).toBeUndefined()
  })
})
