import { describe, expect, it } from 'vitest'
import { createDirectEngine } from '../../../../src/engine/index.ts'
import type { AgentEvent, GateDecision } from '../../../../src/protocol/engine.ts'
import { AppError } from '../../../../src/protocol/errors.ts'
import type { LogEntry } from '../../../../src/protocol/session-log.ts'
import type { AnyTool, ToolResult } from '../../../../src/protocol/tool.ts'
import { createManualClock } from '../../../support/clock.ts'
import {
  collect,
  createFakeGate,
  type EngineSetup,
  engineDeps,
  fakeTool,
  ok,
} from '../../../support/engine-deps.ts'
import { createMemorySession, type MemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel, type ScriptedModel, type ScriptStep } from '../../../support/scripted-model.ts'

const engine = createDirectEngine()

interface Scene {
  readonly session: MemorySession
  readonly model: ScriptedModel
  readonly decisions: Record<string, GateDecision>
  readonly runs: string[]
  run(signal?: AbortSignal): Promise<AgentEvent[]>
}

/** A session with one message, tools `look` (read-only) and `write`, and a scripted model. */
function scene(steps: readonly ScriptStep[], more: Partial<EngineSetup> & { tools?: AnyTool[] } = {}): Scene {
  const session = createMemorySession()
  session.say('请开始')
  const model = createScriptedModel(steps)
  const decisions: Record<string, GateDecision> = {}
  const runs: string[] = []
  const note =
    (name: string) =>
    (text: string): ToolResult => {
      runs.push(`${name} ${text}`)
      return ok(`${name} saw ${text}`)
    }
  const gate = createFakeGate(() => session, decisions)
  const tools = [
    fakeTool('look', true, note('look')),
    fakeTool('write', false, note('write')),
    ...(more.tools ?? []),
  ]
  const deps = engineDeps(session, { model, gate, ...more, tools })
  const run = (signal = new AbortController().signal): Promise<AgentEvent[]> =>
    collect(engine.run(session, deps, signal))
  return { session, model, decisions, runs, run }
}

const entries = (session: MemorySession): LogEntry[] => session.log.map(({ entry }) => entry)
const types = (session: MemorySession): string[] =>
  entries(session).map((entry) => ('callId' in entry ? `${entry.type} ${entry.callId}` : entry.type))
const results = (session: MemorySession): string[] =>
  entries(session).flatMap((entry) => (entry.type === 'result' ? [`${entry.callId}: ${entry.text}`] : []))

describe('direct engine', () => {
  it('streams an answer and ends with it', async () => {
    const { session, run } = scene(['你好，世界'])
    expect(await run()).toEqual([
      { type: 'turn', step: 1 },
      { type: 'text', delta: '你好，' },
      { type: 'text', delta: '世界' },
      { type: 'ended', outcome: 'done', text: '你好，世界' },
    ])
    expect(entries(session).at(-1)).toEqual({
      type: 'assistant',
      text: '你好，世界',
      toolCalls: [],
      model: 'scripted',
    })
  })

  it('runs calls, gives the results to the model and counts the cost', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cachedTokens: 400 }
    const { session, model, run } = scene([{ text: 'hm', calls: [['look', { text: 'a' }]], usage }, 'done'])
    Object.assign(model, { price: { input: 10, output: 20, cached: 1, currency: 'CNY' } })
    const events = await run()
    expect(events.find((event) => event.type === 'usage')).toEqual({
      type: 'usage',
      model: 'scripted',
      ...usage,
      cost: (600 * 10 + 400 * 1 + 100 * 20) / 1_000_000,
      currency: 'CNY',
    })
    expect(events.filter((event) => event.type.startsWith('tool_'))).toEqual([
      { type: 'tool_started', callId: 'call_1', tool: 'look', title: 'look a' },
      { type: 'tool_ended', callId: 'call_1', status: 'ok', ms: 0 },
    ])
    expect(types(session)).toEqual(['user', 'assistant', 'result call_1', 'assistant'])
    expect(model.requests[1]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text: 'hm',
        toolCalls: [{ id: 'call_1', name: 'look', arguments: '{"text":"a"}' }],
      },
      {
        role: 'tool',
        callId: 'call_1',
        name: 'look',
        content: [{ type: 'text', text: 'look saw a' }],
        isError: false,
      },
    ])
  })

  it('runs neighbouring read-only calls together and every other call alone, results in call order', async () => {
    const order: string[] = []
    let free = (): void => undefined
    const blocked = new Promise<void>((resolve) => {
      free = resolve
    })
    const slow = fakeTool('slow', true, async (text) => {
      order.push(`start ${text}`)
      if (text === '1') await blocked
      if (text === '2') free()
      order.push(`end ${text}`)
      return ok(text)
    })
    const alone = fakeTool('alone', false, (text) => {
      order.push(`alone ${text}`)
      return ok(text)
    })
    const calls = [
      ['slow', { text: '1' }],
      ['slow', { text: '2' }],
      ['alone', { text: '3' }],
      ['slow', { text: '4' }],
    ] as const
    const { session, run } = scene([{ calls }, 'done'], { tools: [slow, alone] })
    await run()
    expect(order).toEqual(['start 1', 'start 2', 'end 2', 'end 1', 'alone 3', 'start 4', 'end 4'])
    expect(types(session)).toEqual([
      'user',
      'assistant',
      'result call_1',
      'result call_2',
      'intent call_3',
      'result call_3',
      'result call_4',
      'assistant',
    ])
  })

  it('suspends at a call that must be asked about and goes on there after the approval', async () => {
    const calls = [
      ['look', { text: 'a' }],
      ['write', { text: 'b' }],
      ['write', { text: 'c' }],
    ] as const
    const { session, decisions, runs, run } = scene([{ calls }, 'done'])
    decisions['call_2'] = { effect: 'ask', approvalId: 'ap1' }
    const first = await run()
    expect(first.at(-1)).toEqual({
      type: 'suspended',
      callId: 'call_2',
      tool: 'write',
      title: 'write b',
      approvalId: 'ap1',
    })
    expect(types(session)).toEqual(['user', 'assistant', 'result call_1', 'ask call_2'])
    // A wake-up without a decision changes nothing.
    expect((await run()).map((event) => event.type)).toEqual(['suspended'])
    expect(types(session)).toHaveLength(4)
    decisions['call_2'] = { effect: 'allow', approvalId: 'ap1' }
    expect((await run()).at(-1)).toEqual({ type: 'ended', outcome: 'done', text: 'done' })
    expect(runs).toEqual(['look a', 'write b', 'write c'])
    expect(entries(session).filter((entry) => entry.type === 'intent')).toEqual([
      { type: 'intent', callId: 'call_2', tool: 'write', approvalId: 'ap1' },
      { type: 'intent', callId: 'call_3', tool: 'write' },
    ])
  })

  it('gives a denial with its reason to the model, which may go another way', async () => {
    const { session, decisions, runs, run } = scene([{ calls: [['write', { text: 'b' }]] }, 'ok, not then'])
    decisions['call_1'] = { effect: 'deny', reason: 'refused by 李四: too risky', hint: 'Ask for less.' }
    const events = await run()
    expect(runs).toEqual([])
    expect(events.find((event) => event.type === 'tool_ended')).toMatchObject({
      callId: 'call_1',
      status: 'denied',
    })
    expect(results(session)).toEqual(['call_1: refused by 李四: too risky\nAsk for less.'])
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'ok, not then' })
  })

  it('takes messages that arrive during the run before the next model request', async () => {
    const tool = fakeTool('chat', true, () => {
      session.say('还有一件事')
      return ok('fine')
    })
    const { session, model, run } = scene([{ calls: [['chat', { text: '' }]] }, 'done'], { tools: [tool] })
    await run()
    expect(types(session)).toEqual(['user', 'assistant', 'result call_1', 'user', 'assistant'])
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })

  it('R4 R5: never runs a started call twice; says that its outcome is unknown', async () => {
    const { session, runs, run } = scene(['checked'])
    const call = { id: 'c9', name: 'write', arguments: '{"text":"x"}' }
    await session.takeInput()
    await session.append({ type: 'assistant', text: '', toolCalls: [call], model: 'scripted' })
    await session.append({ type: 'intent', callId: 'c9', tool: 'write' })
    const events = await run()
    expect(runs).toEqual([])
    expect(events[0]).toMatchObject({
      type: 'status',
      text: expect.stringContaining('may or may not have run'),
    })
    expect(results(session)[0]).toContain('c9: The outcome is unknown')
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'checked' })
  })

  it('R5: takes over the result that a begun call left behind', async () => {
    const tool: AnyTool = {
      ...fakeTool('job', false, () => ok('run twice')),
      recover: async ({ callId }) => ok(`${callId} had ended with 0`),
    }
    const { session, run } = scene(['fine'], { tools: [tool] })
    const call = { id: 'c9', name: 'job', arguments: '{"text":"x"}' }
    await session.takeInput()
    await session.append({ type: 'assistant', text: '', toolCalls: [call], model: 'scripted' })
    await session.append({ type: 'intent', callId: 'c9', tool: 'job' })
    const events = await run()
    expect(results(session)).toEqual(['c9: c9 had ended with 0'])
    expect(events.slice(0, 2)).toEqual([
      { type: 'tool_started', callId: 'c9', tool: 'job', title: 'job x' },
      { type: 'tool_ended', callId: 'c9', status: 'ok', ms: 0 },
    ])
  })

  it('R4: runs a read-only call again after a crash', async () => {
    const { session, runs, run } = scene(['seen'])
    const call = { id: 'c9', name: 'look', arguments: '{"text":"x"}' }
    await session.takeInput()
    await session.append({ type: 'assistant', text: '', toolCalls: [call], model: 'scripted' })
    await session.append({ type: 'intent', callId: 'c9', tool: 'look' })
    await run()
    expect(runs).toEqual(['look x'])
  })

  it('R3: does not ask the model again when only the end of the run was lost', async () => {
    const { session, model, run } = scene(['never asked'])
    await session.takeInput()
    await session.append({ type: 'assistant', text: 'the answer', toolCalls: [], model: 'scripted' })
    expect(await run()).toEqual([{ type: 'ended', outcome: 'done', text: 'the answer' }])
    expect(model.requests).toHaveLength(0)
  })

  it('R3: an answer that broke off is asked for again, twice at most', async () => {
    const broken = [{ type: 'text' as const, delta: 'half' }, new AppError('model.interrupted', 'cut')]
    const again = scene([broken, broken, 'whole'])
    const events = await again.run()
    expect(events.filter((event) => event.type === 'turn')).toHaveLength(3)
    expect(events.at(-1)).toEqual({ type: 'ended', outcome: 'done', text: 'whole' })
    expect(types(again.session)).toEqual(['user', 'assistant'])
    const never = await scene([broken, broken, broken]).run()
    expect(never.at(-1)).toMatchObject({ outcome: 'failed', reason: 'model.interrupted' })
  })

  it.each([
    ['model.auth', 'models.profiles.main'],
    ['model.no_balance', 'top it up'],
    ['model.rate_limited', 'few minutes'],
    ['model.unavailable', 'baseUrl'],
  ])('ends with an actionable text on %s', async (code, words) => {
    const { run, session } = scene([new AppError(code, 'x', { params: { profile: 'main' } })])
    const last = (await run()).at(-1)
    expect(last).toMatchObject({ type: 'ended', outcome: 'failed', reason: code })
    expect(last?.type === 'ended' && last.text).toContain(words)
    expect(entries(session).at(-1)?.type).toBe('note')
  })

  it('an abort while a call runs gives every open call a result and ends as stopped', async () => {
    const controller = new AbortController()
    const hang = fakeTool('hang', false, (_text, signal) => {
      controller.abort(new Error('stop'))
      return new Promise<ToolResult>(
        (_, reject) => signal.addEventListener('abort', () => reject(signal.reason)) ?? reject(signal.reason),
      )
    })
    const calls = [
      ['hang', { text: '1' }],
      ['write', { text: '2' }],
    ] as const
    const { session, runs, run } = scene([{ calls }], { tools: [hang] })
    const events = await run(controller.signal)
    expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'stopped' })
    expect(runs).toEqual([])
    expect(types(session)).toEqual([
      'user',
      'assistant',
      'intent call_1',
      'result call_1',
      'result call_2',
      'note',
    ])
    expect(results(session)[0]).toContain('Stopped while it ran')
  })

  it('an abort while the model speaks keeps what was already said', async () => {
    const controller = new AbortController()
    const { session } = scene([])
    const model = {
      ...createScriptedModel([]),
      async *stream() {
        yield { type: 'text' as const, delta: 'so far' }
        controller.abort(new Error('stop'))
        controller.signal.throwIfAborted()
      },
    }
    const deps = engineDeps(session, { model, gate: createFakeGate(() => session) })
    const events = await collect(engine.run(session, deps, controller.signal))
    expect(events.at(-1)).toMatchObject({
      outcome: 'stopped',
      text: expect.stringMatching(/^so far\n\nStopped/),
    })
    expect(entries(session).slice(-2)).toMatchObject([
      { type: 'assistant', text: 'so far' },
      { type: 'note' },
    ])
  })

  it('an abort after the whole answer changes nothing', async () => {
    const controller = new AbortController()
    const { session } = scene([])
    const model = {
      ...createScriptedModel([]),
      async *stream() {
        yield { type: 'text' as const, delta: 'all of it' }
        yield { type: 'done' as const, stop: 'end' as const, usage: undefined }
        controller.abort(new Error('stop'))
      },
    }
    const deps = engineDeps(session, { model, gate: createFakeGate(() => session) })
    const events = await collect(engine.run(session, deps, controller.signal))
    expect(events.at(-1)).toEqual({ type: 'ended', outcome: 'done', text: 'all of it' })
    expect(types(session)).toEqual(['user', 'assistant'])
  })

  it('R34: gives up on a tool that ignores the abort', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const deaf = fakeTool('deaf', false, () => {
      controller.abort(new Error('stop'))
      return new Promise<ToolResult>(() => undefined)
    })
    const { run } = scene([{ calls: [['deaf', { text: '' }]] }], { tools: [deaf], clock })
    const done = run(controller.signal)
    await clock.advance(10_000)
    expect((await done).at(-1)).toMatchObject({ outcome: 'stopped' })
  })

  it('lets a lost lease pass and appends nothing more', async () => {
    const { session, run } = scene([{ calls: [['write', { text: 'b' }]] }, 'done'])
    session.crashAt(3)
    await expect(run()).rejects.toMatchObject({ code: 'session.lease_lost' })
    expect(types(session)).toEqual(['user', 'assistant'])
  })
})
