/** All chat commands. A new one is a file, a line here, its words in `command-line.ts`, and a test. */
import type { CommandName } from '../command-line.ts'
import type { Command } from './command.ts'
import { compact } from './compact.ts'
import { files } from './files.ts'
import { help } from './help.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { model } from './model.ts'
import { mute } from './mute.ts'
import { newConversation } from './new.ts'
import { schedule } from './schedule.ts'
import { stats } from './stats.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'
import { tasks } from './tasks.ts'
import { tools } from './tools.ts'
import { whoami } from './whoami.ts'

export const commands: Readonly<Record<CommandName, Command>> = {
  help,
  new: newConversation,
  stop,
  mute,
  status,
  stats,
  model,
  tools,
  files,
  compact,
  whoami,
  schedule,
  memory,
  mcp,
  tasks,
}
