/**
 * The 19 workstation tools in five domains: files, processes and system, text and search, commands,
 * environment. Five of them are built-in tools under other names; nobody is shown both. Knows what each
 * can do; refuses to know who may use it and who asks.
 */
import type { Clock } from '../../protocol/ports.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { readFileTool } from '../files/read-file.ts'
import { findRipgrep } from '../search/ripgrep.ts'
import { createCommandStatus } from './command-status.ts'
import { diffFilesTool } from './diff-files.ts'
import { createDiskUsage } from './disk-usage.ts'
import { createEnvironmentNow } from './environment-now.ts'
import { createEnvironmentStatic } from './environment-static.ts'
import { fileInfoTool } from './file-info.ts'
import type { Jobs } from './jobs.ts'
import { listDirectoryTool } from './list-directory.ts'
import { createListProcesses } from './list-processes.ts'
import { createMachineMonitor } from './machine-monitor.ts'
import { createProc } from './proc.ts'
import { createProcessInfo } from './process-info.ts'
import { createReadLatest } from './read-latest.ts'
import { createStartCommand } from './start-command.ts'
import { createStopCommand } from './stop-command.ts'
import { createSystemStatus } from './system-status.ts'
import { textStatsTool } from './text-stats.ts'
import {
  createFindFiles,
  createRunCommand,
  createSearchContent,
  inWorkstationWords,
  writeFileTwin,
} from './twins.ts'

export { createJobs, type JobEnd, type Jobs } from './jobs.ts'

export interface WorkstationDeps {
  readonly clock: Clock
  readonly jobs: Jobs
  /** Path of ripgrep; without it a slower search of our own. */
  readonly ripgrep?: string | undefined
}

/** All 19, for an MCP client. */
export function workstationTools(deps: WorkstationDeps): AnyTool[] {
  const ripgrep = deps.ripgrep ?? findRipgrep()
  const { files, system, text, commands, environment } = byDomain(deps, ripgrep)
  const own = (tools: readonly AnyTool[]): AnyTool[] => tools.map(inWorkstationWords)
  return [
    ...own([...files, readFileTool]),
    writeFileTwin,
    createFindFiles(ripgrep),
    ...own(system),
    createSearchContent(ripgrep),
    ...own(text),
    createRunCommand(),
    ...own(commands),
    ...own(environment),
  ]
}

/** Those without a built-in twin, for the agent in chat. */
export function chatWorkstationTools(deps: WorkstationDeps): AnyTool[] {
  return Object.values(byDomain(deps, deps.ripgrep ?? findRipgrep())).flat()
}

function byDomain({ clock, jobs }: WorkstationDeps, ripgrep: string | undefined) {
  const monitor = createMachineMonitor({ clock, proc: createProc() })
  return {
    files: [listDirectoryTool, fileInfoTool],
    system: [
      createListProcesses(monitor),
      createProcessInfo(monitor),
      createSystemStatus(monitor),
      createDiskUsage(clock),
    ],
    text: [textStatsTool, diffFilesTool, createReadLatest(ripgrep)],
    commands: [createStartCommand(jobs), createCommandStatus(jobs), createStopCommand(jobs)],
    environment: [createEnvironmentStatic(), createEnvironmentNow(jobs)],
  } satisfies Readonly<Record<string, readonly AnyTool[]>>
}
