import { describe, expect, it } from 'vitest'
import { fakeTool, ok } from '../../../support/engine-deps.ts'
import { entries, results, scene, types } from './scene.ts'

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
})
