import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import type { Clock } from '../../protocol/ports.ts'
import { type AnyTool, defineTool, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { jsonResult } from './json-result.ts'
import { type MachineMonitor, percent } from './machine-monitor.ts'

/** One process; read only. */
export function createProcessInfo(monitor: MachineMonitor): AnyTool {
  return defineTool({
    name: 'process_info',
    description:
      'Tells about one process of the machine as JSON: name, parent, state, user id, threads, start (UTC), ' +
      'cpu_percent (of one core), cpu_seconds (used so far), memory_bytes (resident), memory_percent. ' +
      'Arguments and environment are not shown, since they may hold secrets. To find its pid: list_processes.',
    input: z.strictObject({
      pid: z
        .int()
        .min(1)
        .describe('Process id, from list_processes.')
        .meta({ examples: [1] }),
    }),
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.process_info.title', { pid: args.pid }),
    run: (args, ctx) => asResult(() => describe(args.pid, monitor, ctx.clock)),
  })
}

async function describe(pid: number, monitor: MachineMonitor, clock: Clock): Promise<ToolResult> {
  const { proc } = monitor
  const gone = (): AppError =>
    new AppError('tool.not_found', `There is no process ${pid}; it may have ended.`, {
      hint: 'List them again with list_processes.',
    })
  if (!(await proc.processOf(pid))) throw gone()
  const [snapshot, memory, user, uptime] = await Promise.all([
    monitor.snapshot(),
    proc.memory(),
    proc.userOf(pid),
    proc.uptimeSeconds(),
  ])
  const process = await proc.processOf(pid)
  if (!process) throw gone()
  const startedAt = clock.now() - (uptime - process.startedAfterBoot) * 1_000
  return jsonResult({
    pid,
    name: process.name,
    parent_pid: process.parent,
    state: process.state,
    user_id: user,
    threads: process.threads,
    started: new Date(startedAt).toISOString(),
    cpu_percent: snapshot.processes.find((usage) => usage.process.pid === pid)?.cpuPercent ?? 0,
    cpu_seconds: process.cpuSeconds,
    memory_bytes: process.residentBytes,
    memory_percent: percent(process.residentBytes / memory.total),
  })
}
