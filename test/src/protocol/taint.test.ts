import { expect, it } from 'vitest'
import type { LogEntry, LoggedMessage } from '../../../src/protocol/session-log.ts'
import { taints } from '../../../src/protocol/taint.ts'

const said = (change: Partial<LoggedMessage>): LogEntry => ({
  type: 'user',
  messages: [
    {
      ...{ messageId: 'm', user: 'feishu:ou_1', name: '', text: 'x', sentAt: 0, replyTo: 'm' },
      ...{ context: [], files: [], notes: [], ...change },
    },
  ],
})
const got = (tool: string): LogEntry => ({ type: 'result', callId: 'c', tool, ok: true, text: '', ms: 0 })

it('P2: a quote, a file, a page, an answer of MCP and a form are other people’s words; typed ones are not', () => {
  const file = { path: 'inbox/1/a.pdf', name: 'a.pdf', kind: 'file', bytes: 1 } as const
  expect(taints(said({ context: [{ kind: 'quote', from: 'x', text: 'y' }] }))).toBe(true)
  expect(taints(said({ files: [file] }))).toBe(true)
  for (const tool of ['web_fetch', 'browser_snapshot', 'mcp__a__b', 'wecom_approval_list'])
    expect(taints(got(tool))).toBe(true)
  expect(taints(said({}))).toBe(false)
  expect(taints(got('shell'))).toBe(false)
})
