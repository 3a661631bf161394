import { z } from 'zod'
import { type AnyTool, defineTool, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { page } from '../search/page.ts'
import { type MachineMonitor, percent, type Usage } from './machine-monitor.ts'

const MEBIBYTE = 1024 * 1024

const input = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only processes whose name holds these letters in this order, any case: "ndj" finds nodejs.')
    .meta({ examples: ['node'] }),
  min_cpu_percent: z
    .number()
    .min(0)
    .default(0)
    .describe('Only processes that use at least this much, percent of one core. Default 0.'),
  min_memory_mb: z
    .number()
    .min(0)
    .default(0)
    .describe('Only processes with at least this much resident memory, MiB. Default 0.'),
  sort: z
    .enum(['cpu', 'memory', 'name', 'pid'])
    .default('cpu')
    .describe('Most processor use or memory first, or by name or pid. Default cpu.'),
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(20)
    .describe('At most this many processes. Default 20; more cost context.'),
  offset: z.int().min(0).default(0).describe('Skip this many processes, to go on with a longer list.'),
})

type Arguments = z.output<typeof input>

/** The machine's processes: names and use, never arguments. */
export function createListProcesses(monitor: MachineMonitor): AnyTool {
  return defineTool({
    name: 'list_processes',
    description:
      'Lists processes of the machine that the service runs on, as JSON: pid, name, cpu_percent (of one core, measured over the last moment), ' +
      'memory_bytes (resident), memory_percent. Read only; arguments are not shown, since they may hold secrets. ' +
      'More about one: process_info; the machine as a whole: system_status; own background commands: command_status.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.list_processes.title', { name: args.name ?? '*' }),
    run: (args) => asResult(() => list(args, monitor)),
  })
}

async function list(args: Arguments, monitor: MachineMonitor): Promise<ToolResult> {
  const [{ processes }, memory] = await Promise.all([monitor.snapshot(), monitor.proc.memory()])
  const rows = processes
    .filter((usage) => matches(usage, args))
    .sort(ORDER[args.sort])
    .map(({ process, cpuPercent }) => ({
      pid: process.pid,
      name: process.name,
      cpu_percent: cpuPercent,
      memory_bytes: process.residentBytes,
      memory_percent: percent(process.residentBytes / memory.total),
    }))
  const listing = {
    noun: 'processes',
    items: rows.map((row) => `${JSON.stringify(row)},`),
    total: rows.length,
    complete: true,
  }
  const result = page(listing, args.offset, args.limit)
  if (!result.ok || rows.length === 0) return result
  const [head = '', ...lines] = result.text.split('\n')
  const array = `[\n${lines.join('\n').replace(/,$/, '')}\n]`
  const data = rows.slice(args.offset, args.offset + lines.length)
  return { ...result, text: `${head}\n${array}`, data }
}

function matches({ process, cpuPercent }: Usage, args: Arguments): boolean {
  return (
    (args.name === undefined || isFuzzy(process.name.toLowerCase(), args.name.toLowerCase())) &&
    cpuPercent >= args.min_cpu_percent &&
    process.residentBytes >= args.min_memory_mb * MEBIBYTE
  )
}

/** True when all letters of `wanted` stand in `text` in this order, not necessarily side by side. */
function isFuzzy(text: string, wanted: string): boolean {
  let at = 0
  for (const letter of wanted) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

const byPid = (a: Usage, b: Usage): number => a.process.pid - b.process.pid

const ORDER: Readonly<Record<Arguments['sort'], (a: Usage, b: Usage) => number>> = {
  cpu: (a, b) => b.cpuPercent - a.cpuPercent || byPid(a, b),
  memory: (a, b) => b.process.residentBytes - a.process.residentBytes || byPid(a, b),
  name: (a, b) => a.process.name.localeCompare(b.process.name) || byPid(a, b),
  pid: byPid,
}
