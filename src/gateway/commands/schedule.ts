/** `/schedule`: lists schedules and does with them what people may. */
import { isAppError } from '../../protocol/errors.ts'
import type { Asker, ScheduleAction } from '../../protocol/schedule.ts'
import type { Command, CommandContext } from './command.ts'

/** Words for each deed; the first is the one that help shows. */
const DEEDS: ReadonlyMap<string, ScheduleAction> = new Map([
  ['pause', 'pause'],
  ['暂停', 'pause'],
  ['resume', 'resume'],
  ['恢复', 'resume'],
  ['run', 'run'],
  ['执行', 'run'],
  ['delete', 'delete'],
  ['删除', 'delete'],
  ['preview', 'preview'],
  ['预览', 'preview'],
])
const EDIT = new Set(['edit', '修改'])
const HISTORY = new Set(['history', '记录'])
const DECISIONS: ReadonlyMap<string, 'confirm' | 'cancel'> = new Map([
  ['confirm', 'confirm'],
  ['确认', 'confirm'],
  ['cancel', 'cancel'],
  ['取消', 'cancel'],
])
const LIST = new Set(['list', '列表'])

export const schedule: Command = async (ctx) => {
  try {
    return { markdown: await answer(ctx) }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { markdown: ctx.text(`error.${error.code}`, error.params) }
  }
}

async function answer(ctx: CommandContext): Promise<string> {
  const { deps, event, args, text } = ctx
  const [word = 'list', id] = args
  const asker = await deps.schedules.asker(event)
  if (LIST.has(word)) return list(ctx, asker)
  const decision = DECISIONS.get(word)
  if (decision) return deps.schedules.desk.decideWaiting(decision, event, id)
  if (id === undefined) return text('schedule.usage')
  const deed = DEEDS.get(word)
  if (deed) return deps.schedules.desk.act(deed, id, asker, event.messageId)
  if (HISTORY.has(word)) return deps.schedules.desk.history(id, asker)
  if (!EDIT.has(word)) return text('schedule.usage')
  const fields = readFields(event.text)
  return fields ? deps.schedules.desk.edit(id, fields, asker) : text('schedule.usage')
}

async function list({ deps, text }: CommandContext, asker: Asker): Promise<string> {
  const schedules = await deps.schedules.desk.list(asker)
  if (schedules.length === 0) return text('schedule.list_none')
  const shown = schedules.map(
    (one) =>
      `- **${one.name}** \`${one.id}\` ${text(`schedule.state.${one.state}`)}\n${one.lines.map((line) => `  - ${line}`).join('\n')}`,
  )
  return [text('schedule.list', { count: schedules.length }), ...shown].join('\n')
}

/** `key=value` pairs after the id; values with spaces stand in quotes of any kind. Undefined without any. */
export function readFields(line: string): Record<string, unknown> | undefined {
  const pairs = [...line.matchAll(/(?:^|\s)([a-zA-Z]+)\s*=\s*(?:"([^"]*)"|“([^”]*)”|'([^']*)'|(\S+))/g)]
  if (pairs.length === 0) return undefined
  return Object.fromEntries(
    pairs.map(([, key = '', ...values]) => {
      const value = values.find((one) => one !== undefined) ?? ''
      return [key, STRUCTURED[key]?.(value) ?? value]
    }),
  )
}

/** Fields that are more than a text: `to=ops/oc_1`, `preapproved="uname -a @2026-12-31"` (empty: none). */
const STRUCTURED: Readonly<Record<string, (value: string) => unknown>> = {
  to: (value) => {
    const slash = value.indexOf('/')
    return slash < 0 ? undefined : { bot: value.slice(0, slash), chat: value.slice(slash + 1) }
  },
  preapproved: (value) => {
    if (value === '') return []
    const at = value.lastIndexOf('@')
    return at < 0 ? undefined : [{ command: value.slice(0, at).trim(), until: value.slice(at + 1).trim() }]
  },
}
