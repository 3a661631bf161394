import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { WORKSTATION } from '../support/tool-names.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

const TOKEN = 'a-token-of-some-length'
const GROUPS = 'workbench: { terminal: true, task: true, settings: true }'
const TERMINAL = ['terminal_list', 'terminal_create', 'terminal_read', 'terminal_write', 'terminal_close']
const TASK = ['list', 'create', 'update', 'delete', 'execute', 'stop', 'resume', 'complete', 'verify']
const SETTINGS = ['settings_get', 'settings_update', 'model_profile_update', 'network_profile_update']
const WORKBENCH = ['workspace_list', ...TERMINAL, ...TASK.map((verb) => `task_${verb}`), ...SETTINGS].sort()

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const answer = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ text: z.string().default('') })),
})

/** Calls a tool and reads the JSON of its answer. */
function caller(client: Client) {
  return async (name: string, args: object = {}): Promise<ReturnType<typeof JSON.parse>> => {
    const result = answer.parse(
      await client.callTool({ name, arguments: { ...args } }, undefined, {
        ...{ timeout: 60_000, onprogress: () => {}, resetTimeoutOnProgress: true },
      }),
    )
    const text = result.content[0]?.text ?? ''
    if (result.isError) throw new Error(`${name}: ${text}`)
    return JSON.parse(text)
  }
}
const namesOf = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map((tool) => tool.name).sort()

describe('the workbench over MCP, over HTTP', { timeout: 180_000 }, () => {
  async function open(
    groups: string,
    tools = '[workbench]',
  ): Promise<{ house: FeishuHouse; client: Client }> {
    const house = await openFeishuHouse({
      yaml: ({ chatId }) => `
${groups}
mcp: { serve: { callsPerMinute: 10000, callers: [{ name: laptop, token: ${TOKEN}, tools: ${tools}, chat: { bot: ops, id: ${chatId} } }] } }
`,
    })
    closers.push(() => house.stop())
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${house.app.listening.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
    })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    closers.push(() => client.close())
    return { house, client }
  }

  /** 王芳 allows whatever is asked, unless its card shows one of these words. */
  function allowAll(house: FeishuHouse, except: RegExp): void {
    const clicked = new Set<string>()
    const look = (): void => {
      for (const { messageId, text } of house.answers()) {
        if (clicked.has(messageId) || !text.includes('待审批') || except.test(text)) continue
        clicked.add(messageId)
        void house.control.click({ userId: house.people.admin.userId, messageId, on: '允许' }).catch(() => {})
      }
    }
    const off = house.onChange(look)
    closers.push(async () => off())
  }

  it('no group is on by default; each brings its own tools', async () => {
    expect(await namesOf((await open('')).client)).toEqual([])
    const { client } = await open('workbench: { terminal: true }')
    expect(await namesOf(client)).toEqual(['workspace_list', ...TERMINAL].sort())
  })

  it('all 19: a terminal written, read and closed; a task run, stopped, resumed, completed and verified by a person; settings', async () => {
    const { house, client } = await open(`${GROUPS}\nsandbox: { network: host }`)
    const call = caller(client)
    allowAll(house, /uname -a/)
    expect(await namesOf(client)).toEqual(WORKBENCH)
    const [{ id: workspaceId }] = await call('workspace_list')

    const { id: terminalId } = await call('terminal_create', { workspaceId, name: '测试' })
    expect(await call('terminal_write', { terminalId, data: 'echo $((6*7)) && tty', submit: true })).toEqual({
      ...{ terminalId, written: true },
    })
    const seen = async (): Promise<string> => (await call('terminal_read', { terminalId })).data
    await expect.poll(seen, { timeout: 20_000 }).toMatch(/42[\s\S]*\/dev\/pts\/0/)
    expect(JSON.stringify(await call('terminal_list', { workspaceId }))).toContain('"live":true')
    expect(await call('terminal_close', { terminalId })).toEqual({ terminalId, closed: true })
    await expect(call('terminal_write', { terminalId, data: 'x' })).rejects.toThrow('terminal_write')

    expect((await call('task_list', { workspaceId })).tasks).toEqual([])
    const made = { workspaceId, projectId: '.', title: '运行 uname -a', agentType: 'opencode' }
    const { id: taskId } = await call('task_create', made)
    expect(await call('task_update', { taskId, priority: 'high' })).toMatchObject({ priority: 'high' })
    const state = async () => (await call('task_list', { workspaceId })).tasks[0]
    const asked = (seenBefore: readonly string[]) =>
      house.until(
        () =>
          house
            .answers()
            .find(
              ({ messageId, text }) => /待审批[\s\S]*uname -a/.test(text) && !seenBefore.includes(messageId),
            ),
        'the card of the task',
      )
    expect(await call('task_execute', { taskId })).toMatchObject({ stage: 'executing' })
    const first = await asked([])
    expect(await call('task_stop', { taskId })).toMatchObject({ executionState: 'stopped' })
    await expect.poll(async () => (await house.runs()).filter((run) => run.ended_at === null)).toEqual([])
    expect(await call('task_resume', { taskId })).toMatchObject({ stage: 'executing' })
    const second = await asked([first.messageId])
    await house.control.click({ userId: house.people.admin.userId, messageId: second.messageId, on: '允许' })
    await expect.poll(state, { timeout: 30_000 }).toMatchObject({ stage: 'completed', runCount: 2 })
    const verified = await call('task_verify', { taskId, note: '看过输出' })
    expect(verified).toMatchObject({ stage: 'verified' })
    expect(verified.validations.at(-1)).toMatchObject({ result: 'passed', name: '王芳', note: '看过输出' })
    expect(await call('task_delete', { taskId })).toEqual({ taskId, deleted: true })

    const { id: other } = await call('task_create', made)
    await call('task_execute', { taskId: other })
    await asked([first.messageId, second.messageId])
    expect(await call('task_complete', { taskId: other })).toMatchObject({ stage: 'completed' })

    expect(await call('settings_get')).toMatchObject({ language: 'system' })
    expect(await call('model_profile_update', { profileId: 'demo', name: '演示' })).toMatchObject({
      name: '演示',
    })
    expect(await call('network_profile_update', { profileId: 'default', name: '直连' })).toMatchObject({
      name: '直连',
    })
    await call('settings_update', { language: 'zh-CN' })
    expect(await call('settings_get')).toMatchObject({ language: 'zh-CN' })
  })
})

describe('the workbench over MCP, over stdio', { timeout: 120_000 }, () => {
  async function open(yaml: string, tools: string): Promise<Client> {
    const folder = mkdtempSync(join(tmpdir(), 'yizhan-stdio-'))
    writeFileSync(
      join(folder, 'yizhan.yaml'),
      `dataDir: ${join(folder, 'data')}\nmcp: { discover: false }\n${yaml}\n`,
    )
    const client = new Client({ name: 'test', version: '1' })
    const args = [resolve('src/main.ts'), 'mcp', '--config', join(folder, 'yizhan.yaml'), '--tools', tools]
    const env = { YIZHAN_WORKSPACE: folder, PATH: '/usr/bin:/bin' }
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
    closers.push(() => client.close())
    return client
  }

  it('--tools workbench lists the 19; a terminal is written, read and closed as the rules allow', async () => {
    const rules = ['terminal_create', 'terminal_write', 'terminal_close'].map((tool) => ({
      tool,
      effect: 'allow',
    }))
    const rule = `approval: { rules: ${JSON.stringify(rules)} }`
    const client = await open(`${GROUPS}\n${rule}`, 'workbench')
    expect(await namesOf(client)).toEqual(WORKBENCH)
    const call = caller(client)
    const [{ id: workspaceId }] = await call('workspace_list')
    const { id: terminalId } = await call('terminal_create', { workspaceId })
    await call('terminal_write', { terminalId, data: 'tty', submit: true })
    const seen = async (): Promise<string> => (await call('terminal_read', { terminalId })).data
    await expect.poll(seen, { timeout: 20_000 }).toContain('/dev/pts/0')
    expect(await call('terminal_close', { terminalId })).toEqual({ terminalId, closed: true })
  })

  it('all, a list of names, and groups that are off', async () => {
    const everything = [
      ...Object.values(WORKSTATION).flat(),
      ...WORKBENCH,
      'run_agent',
      'agent_result',
      'stop_agent',
    ]
    expect(await namesOf(await open(GROUPS, 'all'))).toEqual(everything.sort())
    expect(await namesOf(await open(GROUPS, 'task_list,read_file'))).toEqual(['read_file', 'task_list'])
    expect(await namesOf(await open('', 'all'))).not.toContain('terminal_create')
  })
})
