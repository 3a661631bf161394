/** The board: what stands on it, what is refused, and what belongs to another chat. */
import { describe, expect, it } from 'vitest'
import { code, taskStage } from './stage.ts'

const stage = taskStage()
const { create, seen } = stage

describe('the board', () => {
  it('lists projects and tasks; a new one is in todo with the defaults', async () => {
    await stage.bench.folder('api')
    await stage.bench.folder('.git')
    const task = await create()
    const list = await stage.bench.workbench.board.list(stage.bench.a, await stage.bench.workspaceId())
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
    const made = stage.bench.workbench.board.create(
      stage.bench.a,
      await stage.bench.workspaceId(),
      projectId,
      {
        ...{ title: 'x', agentType: 'opencode' as const },
        ...task,
      },
    )
    await expect(made).rejects.toEqual(code(refused))
  })

  it('a caller with a folder of its own outside the service has terminals there, but no tasks', async () => {
    const outside = { ...stage.bench.a, folder: '/tmp' }
    expect((await stage.bench.workbench.workspaces.visible(outside))[0]?.folder).toBe('/tmp')
    await expect(create({}, outside)).rejects.toEqual(code('foreign_folder'))
  })

  it('changes a task that is not being executed, and deletes it', async () => {
    const { id } = await create()
    const changed = await stage.bench.workbench.board.update(stage.bench.a, id, {
      title: 'new',
      priority: 'high',
    })
    expect(changed).toMatchObject({ title: 'new', priority: 'high', agentType: 'opencode' })
    await stage.bench.workbench.board.delete(stage.bench.a, id)
    await expect(seen(id)).rejects.toThrow('gone')
  })

  it('T1: a task of another chat is not found, like one that never existed', async () => {
    const { id } = await create()
    const { board, execution, verification } = stage.bench.workbench
    const calls = (taskId: string) => [
      board.update(stage.bench.b, taskId, { title: 'x' }),
      board.delete(stage.bench.b, taskId),
      execution.execute(stage.bench.b, taskId),
      execution.stop(stage.bench.b, taskId),
      execution.resume(stage.bench.b, taskId),
      execution.complete(stage.bench.b, taskId),
      verification.byCall(stage.bench.b, 'call', taskId, ''),
    ]
    const foreign = await Promise.all(calls(id).map((call) => call.catch((error: unknown) => error)))
    const random = await Promise.all(calls('task_none').map((call) => call.catch((error: unknown) => error)))
    expect(foreign).toEqual(random)
    expect(foreign).toEqual(foreign.map(() => code('task_not_found')))
    const workspace = await stage.bench.workspaceId(stage.bench.a)
    await expect(board.list(stage.bench.b, workspace)).rejects.toEqual(code('workspace_not_found'))
  })
})
