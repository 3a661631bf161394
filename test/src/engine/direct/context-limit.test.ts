import { describe, expect, it } from 'vitest'
import { createDirectEngine } from '../../../../src/engine/index.ts'
import type { AgentEvent } from '../../../../src/protocol/engine.ts'
import { AppError } from '../../../../src/protocol/errors.ts'
import { collect, createFakeGate, engineDeps } from '../../../support/engine-deps.ts'
import { historyFaults } from '../../../support/history.ts'
import { createMemorySession, type MemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel, type ScriptedModel, type ScriptStep } from '../../../support/scripted-model.ts'

const overflow = (): AppError => new AppError('model.overflow', 'too long', { params: { profile: 'main' } })

/** A session that already holds ten long answers, and one new message. */
async function play(
  steps: readonly ScriptStep[],
  contextTokens = 100_000,
): Promise<{ events: AgentEvent[]; session: MemorySession; model: ScriptedModel }> {
  const session = createMemorySession()
  for (let i = 0; i < 10; i++) {
    session.say(`问题 ${i}`)
    await session.takeInput()
    await session.append({ type: 'assistant', text: '字'.repeat(1_000), toolCalls: [], model: 'scripted' })
  }
  session.say('最后的问题')
  const model = createScriptedModel(steps, { contextTokens, maxOutputTokens: 1_000 })
  const deps = engineDeps(session, { model, gate: createFakeGate(() => session) })
  const events = await collect(createDirectEngine().run(session, deps, new AbortController().signal))
  return { events, session, model }
}

describe('room in the context', () => {
  it('R20: compacts before a request that would fill the context, and tells the person', async () => {
    const { events, session, model } = await play(['the summary', 'the answer'], 10_000)
    expect(events.filter((event) => event.type === 'status')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'the answer' })
    expect(session.log.filter(({ entry }) => entry.type === 'summary')).toHaveLength(1)
    const messages = model.requests[1]?.messages ?? []
    expect(messages.length).toBeLessThan(8)
    expect(historyFaults(messages)).toEqual([])
    expect(JSON.stringify(messages[0])).toContain('the summary')
    expect(JSON.stringify(messages.at(-1))).toContain('最后的问题')
  })

  it('leaves a short history alone', async () => {
    const { session, model } = await play(['the answer'])
    expect(model.requests).toHaveLength(1)
    expect(session.log.some(({ entry }) => entry.type === 'summary')).toBe(false)
  })

  it('R20: after an overflow it compacts and tries once more', async () => {
    const { events, model } = await play([overflow(), 'the summary', 'the answer'])
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'the answer' })
    expect(model.requests).toHaveLength(3)
  })

  it('R20: a summary that overflows too falls back to the newest messages', async () => {
    const { events, session } = await play([overflow(), overflow(), 'the answer'])
    expect(events.flatMap((event) => (event.type === 'status' ? [event.text] : []))).toEqual([
      'The conversation is long; summarising its earlier part…',
      'The earlier part could not be summarised; only the recent messages and key records are kept.',
    ])
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'the answer' })
    expect(session.log.some(({ entry }) => entry.type === 'summary')).toBe(true)
  })

  it('R20: a second overflow ends the run with what to do', async () => {
    const { events } = await play([overflow(), 'the summary', overflow()])
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', reason: 'model.overflow' })
    expect(JSON.stringify(events.at(-1))).toContain('/new')
  })
})
