/** Reads a command from a message: `/stop`, `/停止`, and the few words that need no slash. */

export type CommandName =
  | 'help'
  | 'new'
  | 'stop'
  | 'mute'
  | 'status'
  | 'stats'
  | 'model'
  | 'tools'
  | 'files'
  | 'compact'
  | 'whoami'
  | 'schedule'
  | 'memory'
  | 'mcp'
  | 'tasks'

export interface ParsedCommand {
  /** Undefined for a slash word that is no command: answered with the nearest one. */
  readonly name: CommandName | undefined
  readonly word: string
  readonly args: readonly string[]
}

/** Every name and alias, without the slash, in lower case. */
const WORDS: Readonly<Record<CommandName, readonly string[]>> = {
  help: ['help', '帮助', '?'],
  new: ['new', 'reset', '新会话', '新对话', '重新开始'],
  stop: ['stop', '停止', '停下', '取消'],
  mute: ['mute', '静音', '免打扰'],
  status: ['status', '状态'],
  stats: ['stats', '统计'],
  model: ['model', '模型'],
  tools: ['tools', '工具'],
  files: ['files', '文件'],
  compact: ['compact', '压缩'],
  whoami: ['whoami', '我是谁'],
  schedule: ['schedule', 'schedules', 'cron', '计划', '定时', '定时任务'],
  memory: ['memory', '记忆'],
  mcp: ['mcp'],
  tasks: ['tasks', 'task', '任务', '任务板'],
}

/** Whole messages that mean a command although no slash stands before them. */
const BARE: ReadonlyMap<string, CommandName> = new Map([
  ['帮助', 'help'],
  ['help', 'help'],
  ['停止', 'stop'],
  ['停下', 'stop'],
  ['stop', 'stop'],
  ['新会话', 'new'],
])

const BY_WORD = new Map(
  Object.entries(WORDS).flatMap(([name, words]) => words.map((word) => [word, name as CommandName] as const)),
)

/** The command that a text is, or undefined. A full-width slash counts; a path such as `/etc/hosts` does not. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const trimmed = text.trim()
  const bare = BARE.get(trimmed.toLowerCase())
  if (bare) return { name: bare, word: trimmed, args: [] }
  const match = /^[/／]([^\s/／]+)(?:\s+([\s\S]*))?$/.exec(trimmed)
  const word = match?.[1]
  if (word === undefined) return undefined
  const args = (match?.[2] ?? '').split(/\s+/).filter((part) => part !== '')
  return { name: BY_WORD.get(word.toLowerCase()), word, args }
}
