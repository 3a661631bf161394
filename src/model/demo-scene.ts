/** The fixed rules of the demo model: phrases in Chinese and English, and the steps they start. */
import { z } from 'zod'
import type { ToolSpec } from '../protocol/model.ts'
import type { Translate } from '../protocol/ports.ts'
import { fileList, reportMarkdown } from './demo-report.ts'
import type { DemoTurn } from './demo-turn.ts'

export interface DemoReply {
  readonly say: string
  readonly call?: { readonly tool: string; readonly args: object }
}

/** One step of a scene: a call, or the last words. `results` holds what the earlier steps gave. */
type Step = (results: readonly string[]) => DemoReply

interface Stage {
  readonly said: string
  readonly text: Translate
  /** The first of these tools that is offered. */
  offered(...names: readonly string[]): string | undefined
  /** Argument names of a tool; undefined when it is not offered. */
  fields(tool: string): ReadonlySet<string> | undefined
}

const schemaShape = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) })

type Scene = (stage: Stage) => readonly Step[] | undefined

const REPORT_PATH = 'report.md'
const SEND_TOOLS = ['feishu_send_file', 'wecom_send_file']

/** Decides the next reply of a turn. Pure. A failed or refused step ends the scene, said plainly. */
export function nextReply(turn: DemoTurn, tools: readonly ToolSpec[], text: Translate): DemoReply {
  const last = turn.results.at(-1)
  if (last?.isError) {
    return { say: text('demo.failed', { tool: last.call.name, result: block(last.text) }) }
  }
  const names = new Set(tools.map((tool) => tool.name))
  const stage: Stage = {
    said: turn.said,
    text,
    offered: (...wanted) => wanted.find((name) => names.has(name)),
    fields: (name) => fieldsOf(tools.find((tool) => tool.name === name)),
  }
  const steps = SCENES.map((scene) => scene(stage)).find((found) => found !== undefined)
  const step = steps?.[Math.min(turn.results.length, steps.length - 1)]
  const reply = step?.(turn.results.map((result) => result.text)) ?? { say: text('demo.help') }
  if (reply.call && !names.has(reply.call.tool)) {
    return { say: text('demo.no_tool', { tool: reply.call.tool }) }
  }
  return reply
}

const report: Scene = ({ said, text, offered }) => {
  const lists = /列出|清单|有哪些文件|\blist\b/i.test(said)
  if (!lists || !/report|报告|写一份|总结|summary/i.test(said)) return undefined
  const send = offered(...SEND_TOOLS)
  const count = (results: readonly string[]): number => fileList(results[0] ?? '').total
  const lastWords: Step = (results) => ({
    say: text(send ? 'demo.report_done' : 'demo.report_no_send', {
      count: count(results),
      path: REPORT_PATH,
    }),
  })
  return [
    () => ({ say: text('demo.list_first'), call: listCall(offered) }),
    (results) => ({
      say: text('demo.write_report'),
      call: {
        tool: 'write_file',
        args: { path: REPORT_PATH, content: reportMarkdown(fileList(results[0] ?? ''), text) },
      },
    }),
    ...(send
      ? [
          (): DemoReply => ({
            say: text('demo.send_report'),
            call: { tool: send, args: { path: REPORT_PATH } },
          }),
        ]
      : []),
    lastWords,
  ]
}

const approvals: Scene = ({ said, text, fields }) => {
  if (!/审批|报销|approval/i.test(said)) return undefined
  const listFields = fields('wecom_approval_list')
  if (!listFields) return [() => ({ say: text('demo.no_tool', { tool: 'wecom_approval_list' }) })]
  const pending = /待审批|待审|审批中|pending/i.test(said) && listFields.has('sp_status')
  const wanted = {
    ...(listFields.has('days') ? { days: 7 } : {}),
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

const command: Scene = ({ said, text }) => {
  const words =
    /(?:^|[\s，,。请])(?:运行|执行|run|exec(?:ute)?)\s*(?:命令|the command)?\s*[:：]?\s*[`“"]?([^`”"]+)/i.exec(
      said,
    )
  const line = words?.[1]?.split('\n')[0]?.trim()
  if (!line) return undefined
  return [
    () => ({ say: text('demo.run'), call: { tool: 'shell', args: { command: line } } }),
    ([output = '']) => ({ say: text('demo.run_done', { result: block(output) }) }),
  ]
}

const todo: Scene = ({ said, text }) => {
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

const search: Scene = ({ said, text }) => {
  const what = /(?:\bgrep\b|\bsearch(?: for)?\b|搜索|查找)\s*[:：]?\s*["“]?([^"”\n]+)/i
    .exec(said)?.[1]
    ?.trim()
  if (!what) return undefined
  return [
    () => ({
      say: text('demo.search', { what }),
      call: { tool: 'grep', args: { pattern: what } },
    }),
    ([found = '']) => ({ say: text('demo.search_done', { what, result: block(found) }) }),
  ]
}

const send: Scene = ({ said, text, offered }) => {
  const path = /(?:把|发送|发一下|\bsend\b)\s*(?:me )?\s*([\p{L}\p{N}_./-]+\.[A-Za-z0-9]{1,8})/iu.exec(
    said,
  )?.[1]
  const tool = offered(...SEND_TOOLS)
  if (!path || !tool) return undefined
  return [
    () => ({ say: text('demo.send', { path }), call: { tool, args: { path } } }),
    () => ({ say: text('demo.send_done', { path }) }),
  ]
}

const read: Scene = ({ said, text }) => {
  const path =
    /(?:读取|读一下|读|看看|打开|\bread\b|\bcat\b|\bopen\b)\s*[“"`]?([\p{L}\p{N}_./-]+\.[A-Za-z0-9]{1,8})/iu.exec(
      said,
    )?.[1]
  if (!path) return undefined
  return [
    () => ({ say: text('demo.read', { path }), call: { tool: 'read_file', args: { path } } }),
    ([content = '']) => ({ say: text('demo.read_done', { path, result: block(content) }) }),
  ]
}

const list: Scene = ({ said, text, offered }) => {
  if (
    !/(列出|有哪些|看看)[\s\S]*(文件|目录)|\b(list|show)\b[\s\S]*\b(files|folder|workspace|directory)\b/i.test(
      said,
    )
  ) {
    return undefined
  }
  return [
    () => ({ say: text('demo.list_first'), call: listCall(offered) }),
    ([found = '']) => ({ say: text('demo.list_done', { result: block(found) }) }),
  ]
}

function fieldsOf(tool: ToolSpec | undefined): ReadonlySet<string> | undefined {
  return tool && new Set(Object.keys(schemaShape.parse(tool.parameters).properties))
}

/** First match wins, so a phrase that names several things starts the longest scene. */
const SCENES: readonly Scene[] = [report, approvals, command, todo, search, send, read, list]

function listCall(offered: Stage['offered']): { tool: string; args: object } {
  return { tool: offered('glob') ?? 'glob', args: { pattern: '*' } }
}

/** Approval numbers of WeCom are at least twelve digits: the date and a counter. */
function firstNumber(text: string): string | undefined {
  return /(?<!\d)\d{12,20}(?!\d)/.exec(text)?.[0]
}

/** A fenced block whose fence is longer than any run of backticks inside. */
function block(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.trim()}\n${fence}`
}
