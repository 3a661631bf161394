/** Scenes of the demo model at the workbench: a terminal, a task, and the work on a task. */
import { block, type Scene, type Step } from './demo-stage.ts'

const WORKSPACE = /"id": "(ws_[0-9a-f]+)"/
const TERMINAL = /"id": "(term_[a-z2-7]+)"/g
const TASK = /"id": "(task_[a-z2-7]+)"/

export const task: Scene = ({ said, text, offered }) => {
  const title = /(?:新建任务|new task)\s*[:：]\s*([^\n]+)/i.exec(said)?.[1]?.trim()
  if (!title || offered('task_create') === undefined) return undefined
  return [
    () => ({ say: text('demo.task'), call: { tool: 'workspace_list', args: {} } }),
    ([list = '']) => {
      const workspaceId = WORKSPACE.exec(list)?.[1] ?? ''
      // Any agent: the demo profile is of no vendor.
      const args = { workspaceId, projectId: '.', title, agentType: 'opencode' }
      return { say: '', call: { tool: 'task_create', args } }
    },
    ([, created = '']) => ({
      say: '',
      call: { tool: 'task_execute', args: { taskId: TASK.exec(created)?.[1] ?? '' } },
    }),
    ([, , begun = '']) => ({ say: text('demo.task_done', { result: TASK.exec(begun)?.[1] ?? '' }) }),
  ]
}

export const terminal: Scene = ({ said, text, offered }) => {
  const line = /(?:打开终端|open (?:a )?terminal)[^:：\n]*[:：]\s*([^\n]+)/i.exec(said)?.[1]?.trim()
  if (!line || offered('terminal_create') === undefined) return undefined
  return [
    () => ({ say: text('demo.terminal'), call: { tool: 'workspace_list', args: {} } }),
    ([list = '']) => ({
      say: '',
      call: { tool: 'terminal_create', args: { workspaceId: WORKSPACE.exec(list)?.[1] ?? '' } },
    }),
    ([, opened = '']) => ({
      say: text('demo.terminal_write'),
      call: { tool: 'terminal_write', args: { terminalId: newest(opened), data: line, submit: true } },
    }),
    ([, opened = '']) => ({
      say: '',
      call: { tool: 'terminal_read', args: { terminalId: newest(opened), maxChars: 2_000 } },
    }),
    ([, , , shown = '']) => ({ say: text('demo.terminal_done', { result: block(shown) }) }),
  ]
}

export const look: Scene = ({ said, text, offered }) => {
  if (!/查看终端|show (?:the )?terminal/i.test(said) || offered('terminal_list') === undefined)
    return undefined
  return [
    () => ({ say: '', call: { tool: 'terminal_list', args: {} } }),
    ([list = '']) => ({
      say: '',
      call: { tool: 'terminal_read', args: { terminalId: newest(list), maxChars: 2_000 } },
    }),
    ([, shown = '']) => ({ say: text('demo.terminal_done', { result: block(shown) }) }),
  ]
}

export const language: Scene = ({ said, text, offered }) => {
  const wanted = /(?:语言改[为成]|language to)\s*(zh-CN|en|system)\b/i.exec(said)?.[1]
  if (!wanted || offered('settings_update') === undefined) return undefined
  return [
    () => ({ say: '', call: { tool: 'settings_update', args: { language: wanted } } }),
    () => ({ say: text('demo.language_done', { language: wanted }) }),
  ]
}

/** The task that a prompt is about, and what is to be done. */
export function workOf(said: string): { readonly id: string; readonly what: string } | undefined {
  const id = /(?:后台任务|background task) (task_[a-z2-7]+)/.exec(said)?.[1]
  return id === undefined ? undefined : { id, what: said.split('\n\n')[0] ?? '' }
}

/** The steps of the work itself, and before its last words the report that it is done. */
export function workSteps(id: string, inner: readonly Step[]): readonly Step[] {
  const done: Step = () => ({ say: '', call: { tool: 'task_complete', args: { taskId: id } } })
  return [...inner.slice(0, -1), done, ...inner.slice(-1)]
}

function newest(list: string): string {
  return [...list.matchAll(TERMINAL)].at(-1)?.[1] ?? ''
}
