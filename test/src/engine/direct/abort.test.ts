import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../../src/protocol/tool.ts'
import { createManualClock } from '../../../support/clock.ts'
import { collect, createFakeGate, engineDeps, fakeTool } from '../../../support/engine-deps.ts'
import { createScriptedModel } from '../../../support/scripted-model.ts'
import { engine, entries, results, scene, types } from './scene.ts'

describe('direct engine', () => {
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
