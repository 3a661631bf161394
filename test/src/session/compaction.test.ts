import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/protocol/errors.ts'
import type { LogEntry, LoggedMessage, StoredEntry } from '../../../src/protocol/session-log.ts'
import { boundary, type Compaction, compact, promptTokens } from '../../../src/session/compaction.ts'
import { projectMessages } from '../../../src/session/projection.ts'
import { estimateTokens } from '../../../src/session/token-estimate.ts'
import { historyFaults } from '../../support/history.ts'
import { createScriptedModel, type ScriptStep } from '../../support/scripted-model.ts'

const stored = (entries: readonly LogEntry[], from = 1): StoredEntry[] =>
  entries.map((entry, i) => ({ seq: from + i, at: 0, runId: 'r', entry }))

const message = (text: string): LoggedMessage => ({
  messageId: 'om',
  user: 'feishu:ou_1',
  name: '张三',
  text,
  sentAt: 0,
  replyTo: '',
  context: [],
  files: [],
  notes: [],
})
const said = (text: string, more: Partial<LoggedMessage> = {}): LogEntry => ({
  type: 'user',
  messages: [{ ...message(text), ...more }],
})
const call = (id: string, name: string, args: object): Extract<LogEntry, { type: 'assistant' }> => ({
  type: 'assistant',
  text: '',
  toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
  model: 'scripted',
})
const result = (callId: string, text: string, ok = true): LogEntry => ({
  type: 'result',
  callId,
  tool: 't',
  ok,
  text,
  ms: 1,
})
const answer = (text: string): LogEntry => ({ type: 'assistant', text, toolCalls: [], model: 'scripted' })

async function run(
  entries: readonly StoredEntry[],
  steps: readonly ScriptStep[] = ['## 目标 Goal\n- 做报告'],
  keepTokens = 100,
): Promise<{ result: Compaction | undefined; model: ReturnType<typeof createScriptedModel> }> {
  const model = createScriptedModel(steps)
  const { signal } = new AbortController()
  const options = { model, sessionId: 's', keepTokens, inputTokens: 8_000, signal }
  return { result: await compact(entries, options), model }
}

const LONG = '字'.repeat(1_000)

describe('token estimate', () => {
  it('counts wide characters about one to one and others about four to one', () => {
    expect(estimateTokens('字'.repeat(100))).toBe(90)
    expect(estimateTokens('a'.repeat(100))).toBe(30)
  })

  it('is calibrated by the real usage of the newest reply', () => {
    const usage = { inputTokens: 5_000, outputTokens: 50, cachedTokens: 4_000 }
    const entries = stored([said(LONG), { ...call('x', 'look', {}), usage }, result('x', LONG)])
    expect(promptTokens(entries, () => 'ignored')).toBe(5_050 + 900 + 20)
    const compacted = [...entries, ...stored([{ type: 'summary', text: 'short', after: 3 }], 4)]
    expect(promptTokens(compacted, () => 'a'.repeat(1_000))).toBe(300 + 2)
  })
})

describe('compaction', () => {
  it('R20: cuts only where no call is open', () => {
    const entries = stored([
      said(LONG),
      call('x', 'look', {}),
      result('x', LONG),
      call('y', 'look', {}),
      result('y', 'b'),
    ])
    expect(boundary(entries, 100)).toBe(3)
    expect(boundary(entries, 15)).toBe(3)
    expect(boundary(entries, 1_000)).toBe(3)
    expect(boundary(entries, 100_000)).toBe(1)
    expect(boundary(stored([said('a')]), 10)).toBe(0)
    expect(boundary(stored([said('a'), call('x', 'look', {})]), 0)).toBe(1)
  })

  it('R20: keeps what was approved, files, untrusted content and the last request, whatever the model wrote', async () => {
    const entries = stored([
      said('做一份报告', { context: [{ kind: 'quote', from: 'x', text: 'y' }] }),
      call('a', 'read_file', { path: 'in.csv' }),
      result('a', LONG),
      call('b', 'write_file', { path: 'report.md', content: '…' }),
      { type: 'intent', callId: 'b', tool: 'write_file', approvalId: 'ap1' },
      result('b', LONG),
      call('c', 'edit_file', { path: 'broken.md' }),
      result('c', 'failed', false),
      answer('好了'),
    ])
    const { result: compaction } = await run(entries, undefined, 10)
    expect(compaction?.entry.after).toBe(8)
    const [told, facts = ''] = compaction?.entry.text.split('\n\nFACTS ') ?? []
    expect(told).toBe('## 目标 Goal\n- 做报告')
    expect(JSON.parse(facts)).toEqual({
      read: ['in.csv'],
      modified: ['report.md'],
      approved: ['write_file {"path":"report.md","content":"…"}'],
      untrusted: true,
      lastRequest: '做一份报告',
    })
  })

  it('R20: facts of an earlier summary are carried on', async () => {
    const facts = {
      read: ['old.txt'],
      modified: [],
      approved: ['shell x'],
      untrusted: true,
      lastRequest: '旧的',
    }
    const entries = [
      ...stored([{ type: 'summary', text: `earlier\n\nFACTS ${JSON.stringify(facts)}`, after: 0 }]),
      ...stored([call('a', 'read_file', { path: 'new.txt' }), result('a', LONG), answer('x')], 2),
    ]
    const { result: compaction, model } = await run(entries)
    expect(JSON.parse(compaction?.entry.text.split('FACTS ')[1] ?? '')).toEqual({
      ...facts,
      read: ['old.txt', 'new.txt'],
    })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('SUMMARY SO FAR')
  })

  it('R20: a summary that fails leaves the facts and the tail, and says so', async () => {
    const entries = stored([said('目标'), call('a', 'look', {}), result('a', LONG), answer('尾')])
    const { result: compaction } = await run(entries, [new AppError('model.overflow', 'too long')])
    expect(compaction?.failure?.code).toBe('model.overflow')
    expect(compaction?.entry.text).toContain('could not be summed up')
    expect(compaction?.entry.text).toContain('"lastRequest":"目标"')
    expect(compaction?.entry.after).toBe(3)
  })

  it('R20: a history of a million tokens gives a bounded request and a legal history', async () => {
    const entries = stored(
      Array.from({ length: 1_200 }, (_, i) => [call(`c${i}`, 'look', { i }), result(`c${i}`, LONG)]).flat(),
    )
    const { result: compaction, model } = await run([...stored([said('start')]), ...entries], ['sum'], 3_000)
    expect(estimateTokens(JSON.stringify(model.requests[0]))).toBeLessThan(10_000)
    expect(JSON.stringify(model.requests[0])).toContain('messages left out')
    const after = [...entries, ...(compaction ? stored([compaction.entry], 10_000) : [])]
    const messages = projectMessages(after, { sessionId: 's', model: 'scripted' })
    expect(historyFaults(messages)).toEqual([])
    expect(messages.length).toBeLessThan(10)
  })

  it('an abort is no failure of the summary', async () => {
    const controller = new AbortController()
    controller.abort(new Error('stop'))
    const options = { sessionId: 's', keepTokens: 10, inputTokens: 8_000, signal: controller.signal }
    const model = createScriptedModel(['x'])
    const entries = stored([said(LONG), answer('a'), said('b')])
    await expect(compact(entries, { ...options, model })).rejects.toThrow('stop')
  })
})
