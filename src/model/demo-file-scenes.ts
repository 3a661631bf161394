/** Scenes of the demo model that work with files. */
import { fileList, reportMarkdown } from './demo-report.ts'
import { block, type DemoReply, type Scene, type Stage, type Step } from './demo-stage.ts'

const REPORT_PATH = 'report.md'
const SEND_TOOLS = ['feishu_send_file', 'wecom_send_file']

export const report: Scene = ({ said, text, offered }) => {
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

export const list: Scene = ({ said, text, offered }) => {
  if (
    !/(列出|有哪些|看看)[\s\S]*(文件|目录)|\b(list|show)\b[\s\S]*\b(files|folder|workspace|directory)\b/i.test(
      said,
    )
  ) {
    return undefined
  }
  return [
    () => ({ say: text('demo.list_first'), call: listCall(offered) }),
    ([found = '']) => {
      const { paths, total } = fileList(found)
      if (total === 0) return { say: text('demo.report_empty') }
      const more =
        total > paths.length ? `\n\n${text('demo.report_more', { count: total - paths.length })}` : ''
      return { say: text('demo.list_done', { result: block(paths.join('\n')) }) + more }
    },
  ]
}

export const search: Scene = ({ said, text }) => {
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

export const read: Scene = ({ said, text }) => {
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

export const send: Scene = ({ said, text, offered }) => {
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

function listCall(offered: Stage['offered']): { tool: string; args: object } {
  return { tool: offered('glob') ?? 'glob', args: { pattern: '*' } }
}
