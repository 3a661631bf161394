import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/protocol/errors.ts'
import type { AnyTool } from '../../../../src/protocol/tool.ts'
import { fakeTool, ok } from '../../../support/engine-deps.ts'
import { entries, results, scene, types } from './scene.ts'

describe('direct engine', () => {
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
})
