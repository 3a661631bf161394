/**
 * The built-in tools. A new one is one file and one line here. Knows what each can do on its own; refuses
 * to know who may use it and in which order calls run.
 */
import type { AnyTool } from '../protocol/tool.ts'
import { feishuSendFileTool } from './chat/feishu-send-file.ts'
import { wecomSendFileTool } from './chat/wecom-send-file.ts'
import { recoverShellResult } from './command/recovery.ts'
import { shellTool } from './command/shell.ts'
import { editFileTool } from './files/edit-file.ts'
import { readFileTool } from './files/read-file.ts'
import { writeFileTool } from './files/write-file.ts'
import { gitDiffTool } from './git/git-diff.ts'
import { todoWriteTool } from './plan/todo-write.ts'
import { createGlob } from './search/glob.ts'
import { createGrep } from './search/grep.ts'
import { findRipgrep } from './search/ripgrep.ts'

export { modelCopy } from './model-copy.ts'
export { createToolRegistry, type ToolRegistry, toolsFor } from './registry.ts'

/** Programs that tools start; without ripgrep a slower search of our own takes its place. */
export interface ToolPrograms {
  readonly ripgrep?: string | undefined
}

/** Every built-in tool, in the order the model sees them. */
export function builtinTools(programs: ToolPrograms = { ripgrep: findRipgrep() }): AnyTool[] {
  return [
    { ...shellTool, recover: recoverShellResult },
    readFileTool,
    writeFileTool,
    editFileTool,
    createGrep(programs.ripgrep),
    createGlob(programs.ripgrep),
    gitDiffTool,
    todoWriteTool,
    feishuSendFileTool,
    wecomSendFileTool,
  ]
}
