import { isAppError } from '../../protocol/errors.ts'
import type { TaskAction, TaskLine } from '../../protocol/workbench.ts'
import type { Command, CommandAnswer, CommandContext } from './command.ts'
import { plainWords } from './plain-words.ts'

const DEEDS: Readonly<Record<TaskAction, readonly string[]>> = {
  run: ['run', '执行', '开始'],
  stop: ['stop', '停止', '停下'],
  resume: ['resume', '继续'],
  pass: ['pass', '通过', '验收'],
  fail: ['fail', '退回', '不通过'],
}
const SHOWN_CHARACTERS = 80
const MOST_SHOWN = 30

/** The task board of this chat; with a verb and an id, what a person wants done to a task. */
export const tasks: Command = async (ctx) => {
  const { deps, args, text } = ctx
  if (!deps.tasks.enabled) return { markdown: text('command.tasks_off') }
  const [verb, id, ...note] = args
  if (verb === undefined) return list(ctx)
  const deed = deedOf(verb.toLowerCase())
  if (deed === undefined || id === undefined) return { markdown: text('command.tasks_usage') }
  return act(ctx, deed, id, note.join(' '))
}

function deedOf(word: string): TaskAction | undefined {
  const found = Object.entries(DEEDS).find(([, words]) => words.includes(word))
  return found?.[0] as TaskAction | undefined
}

async function list(ctx: CommandContext): Promise<CommandAnswer> {
  const { deps, text } = ctx
  const lines = await deps.tasks.list(callerOf(ctx))
  if (lines.length === 0) return { markdown: text('command.tasks_none') }
  const shown = lines.slice(-MOST_SHOWN).map((line) => `- ${describe(ctx, line)}`)
  const head = text('command.tasks', { count: lines.length })
  return { markdown: [head, ...shown, text('command.tasks_how')].join('\n') }
}

async function act(ctx: CommandContext, deed: TaskAction, id: string, note: string): Promise<CommandAnswer> {
  const { deps, event, text } = ctx
  try {
    const line = await deps.tasks.act(deed, id, callerOf(ctx), event.sender, note)
    return { markdown: text('command.tasks_done', { line: describe(ctx, line) }) }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { markdown: text(`error.${error.code}`, error.params) }
  }
}

function callerOf({
  session,
  event,
}: CommandContext): Parameters<CommandContext['deps']['tasks']['list']>[0] {
  return { sessionId: session.id, user: event.sender.user, address: event.address }
}

function describe({ text }: CommandContext, line: TaskLine): string {
  const words = text('task.line', {
    id: line.id,
    title: plainWords(line.title, SHOWN_CHARACTERS),
    stage: text(`task.stage.${line.stage}`),
    state: text(`task.state.${line.state}`),
    runs: line.runs,
  })
  return line.lastError === undefined ? words : `${words}${text('task.error', { reason: line.lastError })}`
}
