/** The 19 workbench tools in their groups. They know how a call looks; what may follow what is the workbench's own. */
import type { AnyTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { createModelProfileUpdateTool } from './model-profile-update.ts'
import { createNetworkProfileUpdateTool } from './network-profile-update.ts'
import { createSettingsGetTool } from './settings-get.ts'
import { createSettingsUpdateTool } from './settings-update.ts'
import { createTaskCompleteTool } from './task-complete.ts'
import { createTaskCreateTool } from './task-create.ts'
import { createTaskDeleteTool } from './task-delete.ts'
import { createTaskExecuteTool } from './task-execute.ts'
import { createTaskListTool } from './task-list.ts'
import { createTaskResumeTool } from './task-resume.ts'
import { createTaskStopTool } from './task-stop.ts'
import { createTaskUpdateTool } from './task-update.ts'
import { createTaskVerifyTool } from './task-verify.ts'
import { createTerminalCloseTool } from './terminal-close.ts'
import { createTerminalCreateTool } from './terminal-create.ts'
import { createTerminalListTool } from './terminal-list.ts'
import { createTerminalReadTool } from './terminal-read.ts'
import { createTerminalWriteTool } from './terminal-write.ts'
import { createWorkspaceListTool } from './workspace-list.ts'

/** Groups of `workbench:` in the configuration. */
export interface WorkbenchGroups {
  readonly terminal: boolean
  readonly task: boolean
  readonly settings: boolean
}

/** The tools of the groups that are on, in the order the model sees them; workspaces come with either of the first two. */
export function createWorkbenchTools(workbench: Workbench, groups: WorkbenchGroups): AnyTool[] {
  return [
    ...(groups.terminal || groups.task ? [createWorkspaceListTool(workbench)] : []),
    ...(groups.terminal ? terminalTools(workbench) : []),
    ...(groups.task ? taskTools(workbench) : []),
    ...(groups.settings ? settingsTools(workbench) : []),
  ]
}

function terminalTools(workbench: Workbench): AnyTool[] {
  return [
    createTerminalListTool(workbench),
    createTerminalCreateTool(workbench),
    createTerminalReadTool(workbench),
    createTerminalWriteTool(workbench),
    createTerminalCloseTool(workbench),
  ]
}

function taskTools(workbench: Workbench): AnyTool[] {
  return [
    createTaskListTool(workbench),
    createTaskCreateTool(workbench),
    createTaskUpdateTool(workbench),
    createTaskDeleteTool(workbench),
    createTaskExecuteTool(workbench),
    createTaskStopTool(workbench),
    createTaskResumeTool(workbench),
    createTaskCompleteTool(workbench),
    createTaskVerifyTool(workbench),
  ]
}

function settingsTools(workbench: Workbench): AnyTool[] {
  return [
    createSettingsGetTool(workbench),
    createSettingsUpdateTool(workbench),
    createModelProfileUpdateTool(workbench),
    createNetworkProfileUpdateTool(workbench),
  ]
}
