/**
 * Tools that are loaded on demand, in groups called shelves, so that a request need not carry the schemas of tools
 * that most conversations never use. The model is told which shelves exist and loads one by a tool call. What is
 * loaded follows from the log, so it survives restarts, and the request's prefix stays the same.
 */
import { z } from 'zod'
import type { LogEntry } from '../protocol/session-log.ts'
import { type AnyTool, defineTool } from '../protocol/tool.ts'
import { argumentsObject } from '../protocol/tool-arguments.ts'

export const LOAD_TOOLS = 'load_tools'

/** What each shelf is for, in the model's words. */
const SHELVES = {
  schedules: 'reminders, and tasks and reports at set times',
  workstation: 'this machine and its files: processes, disk, folders, comparing, commands in the background',
  memory: 'notes that open every conversation of this chat; facts by key',
  browser: 'a browser: pages that need clicks, forms or scripts',
  desktop: 'programs with windows on a desktop of their own',
  workbench: 'the task board, terminals that stay open, the settings of the service',
  helpers: 'other agents that look things up beside you, alone or as a team',
} as const

export type Shelf = keyof typeof SHELVES

/** The same tools, marked as loaded on demand. */
export function onShelf(shelf: Shelf, tools: readonly AnyTool[]): AnyTool[] {
  return tools.map((tool) => ({ ...tool, shelf }))
}

/** The tool by which the model loads shelves; undefined when all of these tools are always offered. */
export function createLoadToolsTool(tools: readonly AnyTool[]): AnyTool | undefined {
  const names = Map.groupBy(
    tools.filter((tool) => tool.shelf !== undefined),
    (tool) => tool.shelf ?? '',
  )
  const [first, ...others] = [...names.keys()]
  if (first === undefined) return undefined
  const contents = (shelf: string): string => (names.get(shelf) ?? []).map((tool) => tool.name).join(', ')
  const lines = [...names.keys()].map((shelf) => `${shelf} – ${aboutOf(shelf)}: ${contents(shelf)}`)
  return defineTool({
    name: LOAD_TOOLS,
    description: `Gives you further tools, at once and for the rest of the conversation. Call it as soon as a task needs one of these kinds:\n${lines.join('\n')}`,
    input: z.strictObject({
      kinds: z
        .array(z.enum([first, ...others]))
        .min(1)
        .describe('The kinds that the task needs.')
        .meta({ examples: [[first]] }),
    }),
    readOnly: true,
    risk: 'read',
    mainOnly: true,
    title: (args, text) => text('tools.load_tools.title', { kinds: args.kinds.join('、') }),
    run: (args) =>
      Promise.resolve({
        ok: true,
        text: `You have these tools now: ${args.kinds.map(contents).join(', ')}. Go on with the task.`,
      }),
  })
}

function aboutOf(shelf: string): string {
  return Object.entries(SHELVES).find(([name]) => name === shelf)?.[1] ?? ''
}

/**
 * The tools that a model request carries: those that are always offered, and those of shelves that were loaded or
 * used in the conversation. All of them when the tool that loads shelves is missing.
 */
export function offeredTools(tools: readonly AnyTool[], entries: readonly LogEntry[]): readonly AnyTool[] {
  if (!tools.some((tool) => tool.name === LOAD_TOOLS)) return tools
  const open = openShelves(tools, entries)
  return tools.filter((tool) => tool.shelf === undefined || open.has(tool.shelf))
}

function openShelves(tools: readonly AnyTool[], entries: readonly LogEntry[]): ReadonlySet<string> {
  const shelfOf = new Map(tools.map((tool) => [tool.name, tool.shelf]))
  const open = new Set<string>()
  for (const entry of entries) {
    if (entry.type !== 'assistant') continue
    for (const call of entry.toolCalls) {
      const used = shelfOf.get(call.name)
      if (used !== undefined) open.add(used)
      if (call.name === LOAD_TOOLS) for (const kind of kindsOf(call.arguments)) open.add(kind)
    }
  }
  return open
}

function kindsOf(written: string): string[] {
  const { kinds } = argumentsObject(written)
  return Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === 'string') : []
}
