import { beforeEach, describe, expect, it } from 'vitest'
import { createLive, createQuietLive, type Live, type LiveDeps } from '../../../src/outbound/live.ts'
import type { AgentEvent } from '../../../src/protocol/engine.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { LiveState } from '../../../src/protocol/outbound.ts'
import type { LiveHandle } from '../../../src/store/repositories/runs.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'

const INTERVAL_MS = 500
const say = (delta: string): AgentEvent => ({ type: 'text', delta })
const started: AgentEvent = { type: 'tool_started', callId: 'c1', tool: 'shell', title: 'ls' }

let clock: ManualClock
let adapter: RecordingAdapter
let saved: LiveHandle[]

beforeEach(() => {
  clock = createManualClock()
  adapter = createRecordingAdapter()
  saved = []
})

function open(change: Partial<LiveDeps> = {}): Live {
  return createLive({
    ...{ runId: 'r1', replyTo: 'om_1', adapter, clock, logger: createCollectingLogger() },
    address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
    text: (key) => key,
    footer: undefined,
    handle: undefined,
    head: undefined,
    steps: [],
    isOurs: () => true,
    leaving: new AbortController().signal,
    save: async (handle) => {
      saved.push(handle)
    },
    ...change,
  })
}

const pictures = (): LiveState[] =>
  adapter.calls.flatMap(({ message }) => (message.type === 'live' ? [message.live] : []))

describe('createLive', () => {
  it('shows words at once, as an answer to the message, and remembers where', async () => {
    const live = open()
    live.show(say('你好'))
    await clock.advance(0)
    expect(adapter.calls).toMatchObject([{ kind: 'send', key: 'l-r1-0', message: { replyTo: 'om_1' } }])
    expect(saved).toEqual([{ generation: 0, sent: { messageId: 'sent-1', handle: {} } }])
  })

  it('shows that it thinks only when nothing came for a moment', async () => {
    const live = open()
    live.show({ type: 'turn', step: 1 })
    await clock.advance(1_199)
    expect(adapter.calls).toEqual([])
    await clock.advance(1)
    expect(pictures()).toMatchObject([{ phase: 'thinking', text: '' }])
  })

  it('keeps the platform’s pace; the newest state replaces what waits', async () => {
    const live = open()
    for (const delta of ['a', 'b', 'c']) {
      live.show(say(delta))
      await clock.advance(0)
    }
    expect(pictures().map(({ text }) => text)).toEqual(['a'])
    await clock.advance(INTERVAL_MS)
    expect(pictures().map(({ text }) => text)).toEqual(['a', 'abc'])
    expect(adapter.calls[1]).toMatchObject({ kind: 'update', before: 'sent-1' })
  })

  it('R11: a process that stood still too long paints over nothing when it comes back', async () => {
    let isOurs = true
    const live = open({ isOurs: () => isOurs })
    live.show(say('一'))
    live.show(say('二'))
    isOurs = false
    await clock.advance(INTERVAL_MS)
    live.show(say('三'))
    await clock.advance(INTERVAL_MS)
    expect(pictures().map(({ text }) => text)).toEqual(['一'])
  })

  it('has one call in flight', async () => {
    const go = adapter.pause()
    const live = open()
    live.show(say('a'))
    await clock.advance(INTERVAL_MS * 4)
    live.show(say('b'))
    await clock.advance(INTERVAL_MS * 4)
    expect(adapter.calls).toHaveLength(1)
    go()
    await clock.advance(INTERVAL_MS)
    expect(pictures().map(({ text }) => text)).toEqual(['a', 'ab'])
  })

  it('goes on after a fault that passes, and gives up at one that does not', async () => {
    adapter.fail(new AppError('x.busy', 'busy', { retryable: true }), new AppError('x.refused', 'no'))
    const live = open()
    for (const delta of ['a', 'b', 'c']) {
      live.show(say(delta))
      await clock.advance(INTERVAL_MS)
    }
    expect(pictures().map(({ text }) => text)).toEqual(['a', 'ab'])
    expect(live.state().text).toBe('abc')
  })

  it('settles: a call on the wire is awaited, nothing is shown afterwards', async () => {
    const go = adapter.pause()
    const live = open()
    live.show(say('a'))
    await clock.advance(0)
    let settled = false
    const end = live.settle().then(() => {
      settled = true
    })
    await clock.advance(0)
    expect(settled).toBe(false)
    go()
    await end
    live.show(say('b'))
    await clock.advance(INTERVAL_MS * 4)
    expect(adapter.calls).toHaveLength(1)
    expect(live.handle()?.sent?.messageId).toBe('sent-1')
    expect(clock.pending()).toBe(0)
  })

  it('R28: a call on the wire is given three seconds when the service stops, once', async () => {
    const go = adapter.pause()
    const leaving = new AbortController()
    const live = open({ leaving: leaving.signal })
    live.show(say('a'))
    await clock.advance(0)
    let settled = 0
    const settle = (): Promise<unknown> => live.settle().then(() => settled++)
    const ends = [settle()]
    await clock.advance(60_000)
    leaving.abort()
    await clock.advance(2_999)
    expect(settled).toBe(0)
    await clock.advance(1)
    expect(settled).toBe(1)
    ends.push(settle())
    await clock.advance(0)
    expect(settled).toBe(2)
    go()
    await Promise.all(ends)
    expect(clock.pending()).toBe(0)
  })

  it('goes on in the message that an interrupted worker left', async () => {
    const live = open({ handle: { generation: 2, sent: { messageId: 'om_9', handle: {} } } })
    live.show(say('a'))
    await clock.advance(0)
    expect(adapter.calls).toMatchObject([{ kind: 'update', before: 'om_9', key: 'l-r1-2' }])
  })

  it('follows a tool from its start to its end, and knows its name', () => {
    const live = open()
    live.show(started)
    expect(live.state().steps).toEqual([{ callId: 'c1', tool: 'shell', title: 'ls', status: 'running' }])
    live.show({ type: 'tool_ended', callId: 'c1', status: 'failed', ms: 7 })
    expect(live.state().steps).toMatchObject([{ status: 'failed', ms: 7 }])
    expect([live.toolOf('c1'), live.toolOf('c2')]).toEqual(['shell', 'unknown'])
  })

  it('a new turn begins with no words; the last event holds the whole answer', () => {
    const live = open()
    live.show(say('draft'))
    live.show({ type: 'turn', step: 2 })
    expect(live.state().text).toBe('')
    live.show({ type: 'ended', outcome: 'done', text: 'answer' })
    expect(live.state()).toMatchObject({ phase: 'done', text: 'answer', label: 'live.phase.done' })
  })

  it('says for whom it waits, and a resumed call is the same step', () => {
    const waiting: LiveState['steps'] = [{ callId: 'c1', tool: 'shell', title: 'ls', status: 'waiting' }]
    const live = open({ steps: waiting })
    live.show(started)
    expect(live.state().steps).toMatchObject([{ callId: 'c1', status: 'running' }])
    live.show({ type: 'suspended', callId: 'c2', tool: 'shell', title: 'rm', approvalId: 'a1' })
    expect(live.state()).toMatchObject({ phase: 'waiting' })
  })
})

describe('createQuietLive', () => {
  it('keeps the picture and sends nothing', async () => {
    const live = createQuietLive((key) => key, 'demo')
    live.show(say('a'))
    await live.settle()
    expect(live.state()).toMatchObject({ text: 'a', footer: 'demo' })
    expect(live.handle()).toBeUndefined()
  })
})
