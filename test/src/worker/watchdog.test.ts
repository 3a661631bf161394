import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../src/protocol/engine.ts'
import { createWatchdog } from '../../../src/worker/watchdog.ts'
import { createManualClock } from '../../support/clock.ts'

const limits = { modelMs: 180_000, toolMs: 600_000, runMs: 3_600_000 }
const started: AgentEvent = { type: 'tool_started', callId: 'c1', tool: 'shell', title: 'ls' }
const ended: AgentEvent = { type: 'tool_ended', callId: 'c1', status: 'ok', ms: 1 }
const word: AgentEvent = { type: 'text', delta: '.' }

function watch() {
  const clock = createManualClock()
  const barks: string[] = []
  const dog = createWatchdog(clock, limits, (error) =>
    barks.push(`${error.code} ${JSON.stringify(error.params)}`),
  )
  return { clock, barks, dog }
}

describe('R34: a run without progress', () => {
  it('is stuck after three minutes of silence', async () => {
    const { clock, barks } = watch()
    await clock.advance(limits.modelMs - 1)
    expect(barks).toEqual([])
    await clock.advance(1)
    expect(barks).toEqual(['run.stuck {"seconds":180}'])
  })

  it('is not stuck while words come', async () => {
    const { clock, barks, dog } = watch()
    for (let count = 0; count < 10; count++) {
      await clock.advance(limits.modelMs - 1)
      dog.saw(word)
    }
    expect(barks).toEqual([])
  })

  it('a tool may take longer than a model, and of two the last one counts', async () => {
    const { clock, barks, dog } = watch()
    dog.saw(started)
    dog.saw({ ...started, callId: 'c2' })
    dog.saw(ended)
    await clock.advance(limits.toolMs - 1)
    expect(barks).toEqual([])
    dog.saw(ended)
    await clock.advance(limits.modelMs)
    expect(barks).toEqual(['run.stuck {"seconds":180}'])
  })

  it('has an end even if it never falls silent', async () => {
    const { clock, barks, dog } = watch()
    for (let minute = 0; minute < 60; minute++) {
      dog.saw(word)
      await clock.advance(60_000)
    }
    expect(barks).toEqual(['run.too_long {"minutes":60}'])
  })

  it('says nothing once it was stopped', async () => {
    const { clock, barks, dog } = watch()
    dog.stop()
    await clock.advance(limits.runMs)
    expect(barks).toEqual([])
    expect(clock.pending()).toBe(0)
  })
})
