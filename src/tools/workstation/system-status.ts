import { statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { jsonResult } from './json-result.ts'
import { type MachineMonitor, percent } from './machine-monitor.ts'

/** Processor, memory and disk at this moment; read only. */
export function createSystemStatus(monitor: MachineMonitor): AnyTool {
  return defineTool({
    name: 'system_status',
    description:
      'Tells how busy the machine is now, as JSON. All *_percent are 0 to 100 of the whole machine, all *_bytes are bytes: ' +
      'processor, memory, swap, the disk of the workspace, load averages, uptime. ' +
      'Which process it is: list_processes; what fills the workspace: disk_usage; what never changes: environment_static.',
    input: z.strictObject({}),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('tools.system_status.title'),
    run: (_args, ctx) => asResult(() => describe(monitor, ctx)),
  })
}

async function describe(monitor: MachineMonitor, ctx: ToolContext): Promise<ToolResult> {
  const { proc } = monitor
  const [snapshot, memory, load, uptime, disk] = await Promise.all([
    monitor.snapshot(),
    proc.memory(),
    proc.load(),
    proc.uptimeSeconds(),
    diskOf(ctx.workspace),
  ])
  return jsonResult({
    cpu_percent: snapshot.cpuPercent,
    cpu_cores: availableParallelism(),
    load_average: load,
    memory_total_bytes: memory.total,
    memory_available_bytes: memory.available,
    memory_used_percent: percent(1 - memory.available / memory.total),
    swap_total_bytes: memory.swapTotal,
    swap_used_bytes: memory.swapTotal - memory.swapFree,
    ...disk,
    processes: snapshot.processes.length,
    uptime_seconds: Math.round(uptime),
  })
}

/** The file system that holds a folder. */
export async function diskOf(folder: string): Promise<{
  readonly disk_total_bytes: number
  readonly disk_free_bytes: number
  readonly disk_used_percent: number
}> {
  const { blocks, bavail, bsize } = await statfs(folder)
  return {
    disk_total_bytes: blocks * bsize,
    disk_free_bytes: bavail * bsize,
    disk_used_percent: percent(1 - bavail / blocks),
  }
}
