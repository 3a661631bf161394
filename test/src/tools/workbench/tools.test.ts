import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { ToolResult } from '../../../../src/protocol/tool.ts'
import { createToolRegistry } from '../../../../src/tools/index.ts'
import { createWorkbenchTools } from '../../../../src/tools/workbench/index.ts'
import { openWorkbench, type WorkbenchBench } from '../../workbench/bench.ts'
import { type ToolBench, toolBench } from '../bench.ts'

const ALL = { terminal: true, task: true, settings: true }
const READ = ['workspace_list', 'terminal_list', 'terminal_read', 'task_list', 'settings_get']
const TERMINAL = ['terminal_list', 'terminal_create', 'terminal_read', 'terminal_write', 'terminal_close']
const TASK = ['list', 'create', 'update', 'delete', 'execute', 'stop', 'resume', 'complete', 'verify'].map(
  (verb) => `task_${verb}`,
)
const SETTINGS = ['settings_get', 'settings_update', 'model_profile_update', 'network_profile_update']

let bench: WorkbenchBench
let session: ToolBench
beforeAll(async () => {
  bench = await openWorkbench()
  session = toolBench()
})
afterAll(async () => {
  session[Symbol.dispose]()
  await bench.close()
})

const registry = () => createToolRegistry(createWorkbenchTools(bench.workbench, ALL))
const call = async (name: string, args: object, callId = 'c1'): Promise<ToolResult> => {
  const parsed = registry().parse({ id: 'x', name, arguments: JSON.stringify(args) })
  if (!parsed.ok) return parsed
  const { sessionId, user, address } = bench.a
  const workspace = (await bench.workbench.workspaces.visible(bench.a))[0]?.folder ?? ''
  const ctx = { ...session.context(callId), sessionId, requester: user, address, workspace }
  const bound = await registry().bind(parsed.tool, parsed.args, ctx)
  if (!bound.ok) return bound
  return parsed.tool.run(parsed.args, ctx, new AbortController().signal, bound.bound)
}
const dataOf = async (name: string, args: object): Promise<unknown> => {
  const result = await call(name, args)
  if (!result.ok) throw new Error(`${result.error.type}: ${result.error.message}`)
  expect(JSON.parse(result.text)).toEqual(JSON.parse(JSON.stringify(result.data)))
  return result.data
}

describe('the 19 tools', () => {
  it('have exactly these names, in this order, and their words in both languages', () => {
    const names = createWorkbenchTools(bench.workbench, ALL).map((tool) => tool.name)
    expect(names).toEqual(['workspace_list', ...TERMINAL, ...TASK, ...SETTINGS])
    expect(names).toHaveLength(19)
    for (const locale of ['zh-CN', 'en'] as const)
      for (const name of names) expect(createTranslate(locale)(`tool.${name}`)).not.toBe('')
  })

  it('only the five that look are read-only', () => {
    const tools = createWorkbenchTools(bench.workbench, ALL)
    expect(tools.filter((tool) => tool.readOnly).map((tool) => tool.name)).toEqual(READ)
    expect(tools.filter((tool) => tool.risk === 'read').map((tool) => tool.name)).toEqual(READ)
  })

  it('come by groups that are off by default; workspaces with terminals or tasks', () => {
    const names = (groups: object) =>
      createWorkbenchTools(bench.workbench, configSchema.parse({ workbench: groups }).workbench).map(
        (tool) => tool.name,
      )
    expect(names({})).toEqual([])
    expect(names({ terminal: true })).toEqual(['workspace_list', ...TERMINAL])
    expect(names({ task: true })).toEqual(['workspace_list', ...TASK])
    expect(names({ settings: true })).toEqual(SETTINGS)
  })

  it('take a flat object and nothing beside what they name', () => {
    for (const { parameters } of registry().specs)
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false })
  })

  it.each([
    ['terminal_read', { terminalId: 't', maxChars: 100_001 }],
    ['terminal_read', { terminalId: 't', format: 'html' }],
    ['terminal_write', { terminalId: 't', data: 'x'.repeat(65_537) }],
    ['terminal_create', { workspaceId: 'w', name: 'x'.repeat(121) }],
    ['terminal_create', { workspaceId: '' }],
    ['terminal_close', { terminalId: 'x'.repeat(257) }],
    ['task_create', { workspaceId: 'w', projectId: '.', title: '', agentType: 'claude' }],
    ['task_create', { workspaceId: 'w', projectId: '.', title: 'x'.repeat(501), agentType: 'claude' }],
    ['task_create', { workspaceId: 'w', projectId: '.', title: 'x', agentType: 'gemini' }],
    ['task_create', { workspaceId: 'w', title: 'x', agentType: 'claude' }],
    ['task_update', { taskId: 't', priority: 'urgent' }],
    ['settings_update', { language: 'fr' }],
    ['settings_update', { language: 'en', terminalFontSize: 12 }],
    ['model_profile_update', { profileId: 'demo', apiKey: 'x' }],
    ['network_profile_update', { profileId: 'default', httpProxy: 'http://user:pw@proxy' }],
    ['network_profile_update', { profileId: 'default', httpsProxy: 'file:///etc/passwd' }],
    ['network_profile_update', { profileId: 'default', npmCaPath: '/usr/../etc/shadow' }],
    ['network_profile_update', { profileId: 'default', noProxy: 'a\nb' }],
  ])('%s refuses %o', async (name, args) => {
    expect(await call(name, args)).toMatchObject({ ok: false, error: { type: 'invalid_argument' } })
  })
})

describe('calls', () => {
  it('workspace_list gives the own workspace with its folder', async () => {
    expect(await dataOf('workspace_list', {})).toEqual([
      {
        id: await bench.workspaceId(),
        name: 'oc_a',
        projectPath: expect.stringContaining('/workspaces/'),
        terminalIds: [],
      },
    ])
  })

  it('a task goes through its tools', async () => {
    const workspaceId = await bench.workspaceId()
    const made = { workspaceId, projectId: '.', title: 't', agentType: 'opencode' }
    const { id: taskId } = (await dataOf('task_create', made)) as { id: string }
    expect(await dataOf('task_update', { taskId, description: 'd' })).toMatchObject({ description: 'd' })
    expect(await dataOf('task_execute', { taskId })).toMatchObject({ executionState: 'starting' })
    expect(await dataOf('task_stop', { taskId })).toMatchObject({ executionState: 'stopped' })
    expect(await dataOf('task_resume', { taskId })).toMatchObject({ executionState: 'starting' })
    await bench.beginRun(taskId)
    expect(await dataOf('task_complete', { taskId })).toMatchObject({ stage: 'completed' })
    expect(await call('task_verify', { taskId })).toMatchObject({ ok: false, error: { type: 'refused' } })
    expect(await call('task_delete', { taskId: 'none' })).toMatchObject({
      ok: false,
      error: { type: 'not_found' },
    })
    expect(await dataOf('task_list', { workspaceId })).toMatchObject({ version: 1, tasks: [{ id: taskId }] })
    expect(await dataOf('task_delete', { taskId })).toEqual({ taskId, deleted: true })
  })

  it('I2: what is typed is the exact command of the call; a terminal of others is refused before anybody is asked', async () => {
    const { id } = await bench.workbench.terminals.create(bench.a, await bench.workspaceId(), {
      ...{ name: 's', workingDirectory: '.', command: undefined },
    })
    const tool = registry().find('terminal_write')
    const { sessionId, user, address } = bench.a
    const ctx = { ...session.context(), sessionId, requester: user, address }
    const args = { terminalId: id, data: 'echo "a  b" # 注释', submit: true }
    expect(await tool?.bind?.(args, ctx)).toMatchObject({ command: args.data, args, keystrokes: true })
    expect(await call('terminal_write', { terminalId: 'term_x', data: 'ls' })).toMatchObject({ ok: false })
    expect(await dataOf('terminal_write', args)).toEqual({ terminalId: id, written: true })
    expect(await dataOf('terminal_close', { terminalId: id })).toEqual({ terminalId: id, closed: true })
  })

  it('settings change only with the click of an administrator', async () => {
    for (const [name, args] of [
      ['settings_update', { language: 'en' }],
      ['model_profile_update', { profileId: 'demo', name: 'x' }],
      ['network_profile_update', { profileId: 'default', name: 'x' }],
    ] as const)
      expect(await call(name, args)).toMatchObject({ ok: false, error: { type: 'refused' } })
    expect(await dataOf('settings_get', {})).toMatchObject({ language: 'system', sandboxNetwork: 'none' })
  })
})
