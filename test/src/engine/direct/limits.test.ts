import { describe, expect, it } from 'vitest'
import { createDirectEngine } from '../../../../src/engine/index.ts'
import type { AgentEvent } from '../../../../src/protocol/engine.ts'
import { AppError } from '../../../../src/protocol/errors.ts'
import type { LogEntry } from '../../../../src/protocol/session-log.ts'
import { createManualClock } from '../../../support/clock.ts'
import {
  collect,
  createFakeGate,
  type EngineSetup,
  engineDeps,
  fakeTool,
  ok,
} from '../../../support/engine-deps.ts'
import { createMemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel, type ScriptStep } from '../../../support/scripted-model.ts'

const engine = createDirectEngine()

async function play(
  steps: readonly ScriptStep[],
  more: Partial<EngineSetup> = {},
): Promise<{
  events: AgentEvent[]
  last: Extract<AgentEvent, { type: 'ended' }>
  log: LogEntry[]
  ran: string[]
}> {
  const session = createMemorySession()
  session.say('go')
  const ran: string[] = []
  const look = fakeTool('look', true, (text) => {
    ran.push(text)
    return ok('x')
  })
  const setup = {
    model: createScriptedModel(steps),
    gate: createFakeGate(() => session),
    tools: [look],
    ...more,
  }
  const events = await collect(engine.run(session, engineDeps(session, setup), new AbortController().signal))
  const last = events.at(-1)
  if (last?.type !== 'ended') throw new Error('the run did not end')
  return { events, last, log: session.log.map(({ entry }) => entry), ran }
}

const look = (text: string): ScriptStep => ({ calls: [['look', { text }]] })
const distinct = (count: number): ScriptStep[] => Array.from({ length: count }, (_, i) => look(String(i)))

describe('limits of a run', () => {
  it('R19: ends at the limit of steps, names it and the next step', async () => {
    const { last, ran, log } = await play(distinct(5), { budget: { maxSteps: 3 } })
    expect(ran).toEqual(['0', '1', '2'])
    expect(last).toMatchObject({ outcome: 'failed', reason: 'limit.steps' })
    expect(last.text).toContain('3 steps')
    expect(last.text).toContain('continue')
    expect(log.at(-1)).toEqual({
      type: 'note',
      text: 'The service ended this run: it reached its limit of steps.',
    })
  })

  it('R19: counts uncached input and output against the limit of tokens', async () => {
    const usage = { inputTokens: 5_000, outputTokens: 100, cachedTokens: 4_500 }
    const steps = ['a', 'b', 'c'].map((text) => ({ calls: [['look', { text }]], usage }) satisfies ScriptStep)
    const { last, ran } = await play([...steps, 'done'], { budget: { maxTokens: 1_200 } })
    expect(ran).toEqual(['a', 'b'])
    expect(last).toMatchObject({ outcome: 'failed', reason: 'limit.tokens' })
  })

  it.each([
    ['chat_day', 'This chat', 'limits.tokensPerChatDay'],
    ['day', 'The whole service', 'limits.tokensPerDay'],
  ] as const)('R19: asks the model no further once the limit %s is used up', async (name, who, setting) => {
    let requests = 0
    const usedUp = () => (requests++ < 2 ? undefined : { name, tokens: 500 })
    const { last, ran } = await play(distinct(5), { budget: { usedUp } })
    expect(ran).toEqual(['0', '1'])
    expect(last).toMatchObject({ outcome: 'failed', reason: `limit.${name}` })
    expect(last.text).toContain(who)
    expect(last.text).toContain('500 tokens')
    expect(last.text).toContain(setting)
  })

  it('R19: aborts a tool at the time limit and leaves a legal log', async () => {
    const clock = createManualClock()
    const hang = fakeTool('hang', false, (_text, signal) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const run = play([{ calls: [['hang', { text: '' }]] }], {
      tools: [hang],
      clock,
      budget: { maxMs: 60_000 },
    })
    await clock.advance(60_000)
    const { last, log } = await run
    expect(last).toMatchObject({ outcome: 'failed', reason: 'limit.time' })
    expect(last.text).toContain('1 minutes')
    expect(log.map((entry) => entry.type)).toEqual(['user', 'assistant', 'intent', 'result', 'note'])
  })

  it('R19: does not run the same call a third time', async () => {
    const { last, ran, log } = await play([look('a'), look('a'), look('a'), 'never'])
    expect(ran).toEqual(['a', 'a'])
    expect(last).toMatchObject({ outcome: 'failed', reason: 'limit.loop' })
    expect(last.text).toContain('look')
    expect(log.findLast((entry) => entry.type === 'result')).toMatchObject({ callId: 'call_3', ok: false })
  })

  it('R19: sees A-B-A-B, whatever the order of the arguments', async () => {
    const a = (json: string): ScriptStep => ({ calls: [['look', json]] })
    const { last, ran } = await play([
      a('{"text":"a"}'),
      look('b'),
      a('{ "text" : "a" }'),
      look('b'),
      'never',
    ])
    expect(ran).toEqual(['a', 'b', 'a'])
    expect(last.reason).toBe('limit.loop')
  })

  it('lets progress pass: A-B-A-C is no loop', async () => {
    const { last } = await play([look('a'), look('b'), look('a'), look('c'), 'done'])
    expect(last).toMatchObject({ outcome: 'done', text: 'done' })
  })

  it('R18: three replies without a valid call end the run; each call was told its fault', async () => {
    const steps: ScriptStep[] = [
      { calls: [['look', '{"text": "cut o']] },
      { calls: [['lok', { text: 'a' }]] },
      { calls: [['look', { text: 7 }]] },
      'never',
    ]
    const { last, log, ran } = await play(steps)
    expect(ran).toEqual([])
    expect(last).toMatchObject({ outcome: 'failed', reason: 'limit.invalid' })
    const faults = log.flatMap((entry) => (entry.type === 'result' ? [entry.text] : []))
    expect(faults[0]).toContain('not JSON')
    expect(faults[1]).toContain('did you mean "look"')
    expect(faults[2]).toContain('field "text"')
  })

  it('R18: a valid call in between starts the count anew', async () => {
    const bad: ScriptStep = { calls: [['nope', {}]] }
    const other: ScriptStep = { calls: [['nope', { a: 1 }]] }
    const { last } = await play([bad, other, look('a'), bad, other, 'done'])
    expect(last.outcome).toBe('done')
  })

  it('R18: an empty reply is told to the model, three of them end the run', async () => {
    const { last, log } = await play([{}, { text: ' \n' }, 'done'])
    expect(last.text).toBe('done')
    expect(log.filter((entry) => entry.type === 'note')).toHaveLength(2)
    expect((await play([{}, {}, {}])).last.reason).toBe('limit.invalid')
  })

  it('R18: gives two calls with one id ids of their own', async () => {
    const { log, ran } = await play([
      {
        calls: [
          ['look', { text: 'a' }, 'dup'],
          ['look', { text: 'b' }, 'dup'],
        ],
      },
      'done',
    ])
    expect(ran).toEqual(['a', 'b'])
    expect(log.flatMap((entry) => (entry.type === 'result' ? [entry.callId] : []))).toEqual([
      'call_1',
      'call_2',
    ])
  })

  it('R18: of 200 calls in one reply 32 run, and each of the others has a result', async () => {
    const calls = Array.from({ length: 200 }, (_, i) => ['look', { text: String(i) }] as const)
    const { log, ran, last } = await play([{ calls }, 'done'])
    expect(ran).toHaveLength(32)
    const all = log.filter((entry) => entry.type === 'result')
    expect(all).toHaveLength(200)
    expect(all.at(-1)).toMatchObject({ callId: 'call_200', ok: false, error: { type: 'limit' } })
    expect(last.outcome).toBe('done')
  })

  it('says when an answer was cut by the output limit, and when the model refuses', async () => {
    const cut = await play([{ text: 'long', stop: 'length' }])
    expect(cut.last.text).toMatch(/^long\n\n\(The answer reached its length limit/)
    const refused = await play([{ stop: 'refusal' }])
    expect(refused.last).toMatchObject({ outcome: 'failed', reason: 'model.refused' })
  })

  it('tells the person about retries and silent work', async () => {
    const clock = createManualClock()
    const { events } = await play(
      [
        [
          { type: 'retry', code: 'model.rate_limited', waitMs: 12_000 },
          { type: 'text', delta: 'hi' },
          { type: 'done', stop: 'end', usage: undefined },
        ],
      ],
      { clock },
    )
    expect(events[1]).toEqual({
      type: 'status',
      text: 'The model service is limiting requests; trying again in 12 s…',
    })
  })

  it('a service stop leaves calls open and says nothing in the log', async () => {
    const session = createMemorySession()
    session.say('go')
    const controller = new AbortController()
    const stopping = fakeTool('stopping', true, () => {
      controller.abort(new AppError('worker.stopping', 'the service stops'))
      return ok('seen')
    })
    const model = createScriptedModel([{ calls: [['stopping', { text: '' }]] }])
    const deps = engineDeps(session, { model, gate: createFakeGate(() => session), tools: [stopping] })
    const events = await collect(engine.run(session, deps, controller.signal))
    expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'stopped' })
    expect(session.log.map(({ entry }) => entry.type)).toEqual(['user', 'assistant'])
  })
})
