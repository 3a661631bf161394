import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../../../src/protocol/workbench.ts'
import type { TaskView } from '../../../../src/workbench/tasks/task.ts'
import { ADMIN, openWorkbench, type WorkbenchBench } from '../bench.ts'

let bench: WorkbenchBench
beforeEach(async () => {
  bench = await openWorkbench()
})
afterEach(() => bench.close())

const create = async (fields: object = {}, caller: Caller = bench.a): Promise<TaskView> =>
  bench.workbench.board.create(caller, await bench.workspaceId(caller), '.', {
    title: 'write the report',
    agentType: 'opencode',
    ...fields,
  })
const seen = async (id: string): Promise<TaskView> => {
  const { tasks } = await bench.workbench.board.list(bench.a, await bench.workspaceId())
  const found = tasks.find((task) => task.id === id)
  if (!found) throw new Error('the task is gone')
  return found
}
const code = (value: string) => expect.objectContaining({ code: `workbench.${value}` })

describe('the board', () => {
  it('lists projects and tasks; a new one is in todo with the defaults', async () => {
    await bench.folder('api')
    await bench.folder('.git')
    const task = await create()
    const list = await bench.workbench.board.list(bench.a, await bench.workspaceId())
    expect(list.projects.map((project) => project.id)).toEqual(['.', 'api'])
    expect(list.tasks).toEqual([task])
    expect(task).toMatchObject({
      ...{ stage: 'todo', executionState: 'idle', promptDeliveryState: 'idle', priority: 'medium' },
      ...{ recurring: false, attempts: 0, runCount: 0, validations: [], profileId: null },
    })
  })

  it.each([
    ['a project that does not exist', { projectId: 'none' }, 'folder_not_found'],
    ['a project outside', { projectId: '../..' }, 'folder_outside'],
    ['a folder outside', { workingDirectory: '/etc' }, 'folder_outside'],
    ['a terminal that does not exist', { preferredTerminalId: 'term_x' }, 'terminal_not_found'],
    ['an agent without a model', { agentType: 'claude' }, 'no_profile'],
    ['a profile that does not exist', { profileId: 'none' }, 'no_profile'],
    ['a model name for the demo profile', { modelName: 'x' }, 'no_model_name'],
  ])('refuses %s', async (_what, fields, refused) => {
    const { projectId = '.', ...task } = fields as { projectId?: string }
    const made = bench.workbench.board.create(bench.a, await bench.workspaceId(), projectId, {
      ...{ title: 'x', agentType: 'opencode' as const },
      ...task,
    })
    await expect(made).rejects.toEqual(code(refused))
  })

  it('a caller with a folder of its own outside the service has terminals there, but no tasks', async () => {
    const outside = { ...bench.a, folder: '/tmp' }
    expect((await bench.workbench.workspaces.visible(outside))[0]?.folder).toBe('/tmp')
    await expect(create({}, outside)).rejects.toEqual(code('foreign_folder'))
  })

  it('changes a task that is not being executed, and deletes it', async () => {
    const { id } = await create()
    const changed = await bench.workbench.board.update(bench.a, id, { title: 'new', priority: 'high' })
    expect(changed).toMatchObject({ title: 'new', priority: 'high', agentType: 'opencode' })
    await bench.workbench.board.delete(bench.a, id)
    await expect(seen(id)).rejects.toThrow('gone')
  })

  it('T1: a task of another chat is not found, like one that never existed', async () => {
    const { id } = await create()
    const { board, execution, verification } = bench.workbench
    const calls = (taskId: string) => [
      board.update(bench.b, taskId, { title: 'x' }),
      board.delete(bench.b, taskId),
      execution.execute(bench.b, taskId),
      execution.stop(bench.b, taskId),
      execution.resume(bench.b, taskId),
      execution.complete(bench.b, taskId),
      verification.byCall(bench.b, 'call', taskId, ''),
    ]
    const foreign = await Promise.all(calls(id).map((call) => call.catch((error: unknown) => error)))
    const random = await Promise.all(calls('task_none').map((call) => call.catch((error: unknown) => error)))
    expect(foreign).toEqual(random)
    expect(foreign).toEqual(foreign.map(() => code('task_not_found')))
    const workspace = await bench.workspaceId(bench.a)
    await expect(board.list(bench.b, workspace)).rejects.toEqual(code('workspace_not_found'))
  })
})

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

const OPENAI = { protocol: 'openai', baseUrl: 'http://127.0.0.1:9/v1', model: 'm' }
