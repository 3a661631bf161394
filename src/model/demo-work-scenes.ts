/** Scenes of the demo model that run commands, keep to-dos and look up approvals. */
import { commandOutcome } from './demo-outcome.ts'
import { block, type Scene } from './demo-stage.ts'

export const command: Scene = ({ said, text }) => {
  const words =
    /(?:^|[\s，,。请])(?:运行|执行|run|exec(?:ute)?)\s*(?:命令|the command)?\s*[:：]?\s*[`“"]?([^`”"]+)/i.exec(
      said,
    )
  const line = words?.[1]?.split('\n')[0]?.trim()
  if (!line) return undefined
  return [
    () => ({ say: text('demo.run'), call: { tool: 'shell', args: { command: line } } }),
    ([output = '']) => ({ say: text('demo.run_done', { result: commandOutcome(output, text) }) }),
  ]
}

export const todo: Scene = ({ said, text }) => {
  const words = /(?:待办|\bto-?dos?\b)\s*[:：]?\s*([\s\S]*)/i.exec(said)
  if (!words) return undefined
  const items = (words[1] ?? '')
    .split(/[、，,；;\n]+/)
    .map((item) => item.trim())
    .filter(Boolean)
  if (items.length === 0) return undefined
  const todos = items
    .slice(0, 50)
    .map((content, i) => ({ content, status: i === 0 ? 'in_progress' : 'pending' }))
  return [
    () => ({ say: text('demo.todo'), call: { tool: 'todo_write', args: { todos } } }),
    () => ({ say: text('demo.todo_done', { count: todos.length }) }),
  ]
}

/** 本周 begins on Monday and ends now; without a word about it, the last seven days. */
function spanOf(said: string, fields: ReadonlySet<string>, weekStart: () => number): object {
  if (/本周|这周|这个星期|this week/i.test(said) && fields.has('starttime'))
    return { starttime: Math.floor(weekStart() / 1_000) }
  return fields.has('days') ? { days: 7 } : {}
}

export const approvals: Scene = ({ said, text, fields, weekStart }) => {
  if (!/审批|报销|approval/i.test(said)) return undefined
  const listFields = fields('wecom_approval_list')
  if (!listFields) return [() => ({ say: text('demo.no_tool', { tool: 'wecom_approval_list' }) })]
  const pending = /待审批|待审|审批中|pending/i.test(said) && listFields.has('sp_status')
  const wanted = {
    ...spanOf(said, listFields, weekStart),
    ...(pending ? { sp_status: 1 } : {}),
    ...(listFields.has('details') ? { details: true } : {}),
  }
  const numberField = fields('wecom_approval_detail')?.has('number') ? 'number' : 'sp_no'
  return [
    () => ({
      say: text('demo.approvals'),
      call: { tool: 'wecom_approval_list', args: wanted },
    }),
    ([list = '']) => {
      const number = firstNumber(list)
      if (!number) return { say: text('demo.approvals_none', { result: block(list) }) }
      return {
        say: text('demo.approvals_first', { number }),
        call: { tool: 'wecom_approval_detail', args: { [numberField]: number } },
      }
    },
    ([list = '', detail = '']) => ({
      say: text('demo.approvals_done', {
        list: block(list),
        number: firstNumber(list) ?? '',
        result: block(detail),
      }),
    }),
  ]
}

/** Approval numbers of WeCom are at least twelve digits: the date and a counter. */
function firstNumber(text: string): string | undefined {
  return /(?<!\d)\d{12,20}(?!\d)/.exec(text)?.[0]
}
