import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../src/protocol/engine.ts'
import { endOnAbort } from '../../../src/worker/abortable-events.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'

const turn: AgentEvent = { type: 'turn', step: 1 }
const last: AgentEvent = { type: 'ended', outcome: 'stopped', text: '' }
const never = new Promise<never>(() => {})

let clock: ManualClock
let aborter: AbortController
/** What the engine did behind its last event. */
let ends: string[]

beforeEach(() => {
  clock = createManualClock()
  aborter = new AbortController()
  ends = []
})

async function* engine(ending: Promise<void>): AsyncGenerator<AgentEvent> {
  try {
    yield turn
    yield turn
  } finally {
    await ending
    ends.push('ended')
  }
}

async function readOne(events: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const _event of endOnAbort(events, aborter.signal, clock, () => last))
    throw new Error('the store is full')
}

describe('an engine whose reader fails', () => {
  it('R11: is ended before anything else begins', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const reading = readOne(engine(promise)).catch((error: Error) => ends.push(error.message))
    await clock.advance(0)
    expect(ends).toEqual([])
    resolve()
    await reading
    expect(ends).toEqual(['ended', 'the store is full'])
  })

  it('and that does not end is waited for only so long', async () => {
    const reading = readOne(engine(never)).catch((error: Error) => ends.push(error.message))
    await clock.advance(30_000)
    await reading
    expect(ends).toEqual(['the store is full'])
  })
})

it('an engine that was left behind ends when it wakes, and is not read any further', async () => {
  const { promise: asleep, resolve: wake } = Promise.withResolvers<void>()
  async function* deaf(): AsyncGenerator<AgentEvent> {
    try {
      await asleep
      yield turn
      ends.push('went on')
    } finally {
      ends.push('ended')
    }
  }
  const seen: AgentEvent[] = []
  const reading = (async () => {
    for await (const event of endOnAbort(deaf(), aborter.signal, clock, () => last)) seen.push(event)
  })()
  aborter.abort()
  await clock.advance(30_000)
  await reading
  expect(seen).toEqual([last])
  wake()
  await clock.advance(0)
  expect(ends).toEqual(['ended'])
})
