import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LogEntry } from '../../../src/protocol/session-log.ts'
import { type AnyTool, defineTool } from '../../../src/protocol/tool.ts'
import { createToolCatalogue } from '../../../src/tools/catalogue.ts'
import { createToolRegistry } from '../../../src/tools/registry.ts'
import { onShelf } from '../../../src/tools/shelves.ts'

const tool = (name: string, change: Partial<AnyTool> = {}): AnyTool =>
  defineTool({
    ...{ name, description: name, input: z.strictObject({}), readOnly: true, risk: 'read', ...change },
    title: () => name,
    run: async () => ({ ok: true, text: name }),
  })

const shelved = [
  ...onShelf('workstation', [tool('list_processes'), tool('disk_usage')]),
  ...onShelf('schedules', [tool('cron_manage', { readOnly: false, risk: 'send' })]),
]
const source = { tools: () => [tool('shell'), ...shelved, tool('web_fetch')] }
const all = source.tools()
const catalogue = createToolCatalogue([{ tools: () => all }])
const scope = { botId: 'ops', platform: 'feishu', mayOperate: true }

const called = (name: string, args: object = {}): LogEntry => ({
  ...{ type: 'assistant', text: '', model: 'm' },
  toolCalls: [{ id: 'c1', name, arguments: JSON.stringify(args) }],
})
const offered = (...entries: LogEntry[]): string[] =>
  createToolRegistry(catalogue.forSession(scope))
    .offered(entries)
    .map((spec) => spec.name)

describe('tools on shelves', () => {
  it('are not in a request until the model takes their shelf down', () => {
    expect(offered()).toEqual(['shell', 'web_fetch', 'load_tools'])
    expect(offered(called('load_tools', { kinds: ['workstation'] }))).toEqual([
      ...['shell', 'list_processes', 'disk_usage', 'web_fetch', 'load_tools'],
    ])
  })

  it('are told by name, each shelf with what it is for', () => {
    const about = catalogue.forSession(scope).find(({ name }) => name === 'load_tools')?.description
    expect(about).toContain('workstation – this machine')
    expect(about).toContain(': list_processes, disk_usage\n')
    expect(about).toMatch(/: cron_manage$/)
  })

  it('lie open as well where one of them was used without asking', () => {
    expect(offered(called('disk_usage'))).toContain('list_processes')
  })

  it('can be called although their shelf was not taken down: the model may know them', () => {
    const registry = createToolRegistry(catalogue.forSession(scope))
    expect(registry.parse({ id: 'c', name: 'disk_usage', arguments: '{}' })).toMatchObject({ ok: true })
  })

  it('stay closed for broken words', () => {
    const broken: LogEntry[] = [
      called('load_tools', { kinds: 'workstation' }),
      called('load_tools', { kinds: [1, 'no such'] }),
    ]
    expect(offered(...broken)).toEqual(['shell', 'web_fetch', 'load_tools'])
  })

  it('name only what the person may use', () => {
    const reading = catalogue.forSession({ ...scope, mayOperate: false })
    expect(reading.find(({ name }) => name === 'load_tools')?.description).not.toContain('cron_manage')
  })

  it('are all given where nothing can take a shelf down', () => {
    const registry = createToolRegistry([tool('shell'), ...shelved])
    expect(registry.offered([])).toEqual(registry.specs)
  })

  it('keep the request the same bytes, and the list the same object, from turn to turn', () => {
    expect(catalogue.forSession(scope)).toBe(catalogue.forSession(scope))
    expect(createToolCatalogue([{ tools: () => [tool('shell')] }]).forSession(scope)).toHaveLength(1)
  })
})
