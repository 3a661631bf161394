import { describe, expect, it } from 'vitest'
import type { CallRequest, CallScheduler } from '../../../../src/protocol/adapter.ts'
import type { LiveState } from '../../../../src/protocol/outbound.ts'
import type { ManualClock } from '../../../support/clock.ts'
import { createStage, groupAddress, sendOptions } from '../stage.ts'

/** Makes every call wait until each of its limits has room; moves the clock instead of waiting. */
function paced(scheduler: CallScheduler, clock: ManualClock): CallScheduler {
  const taken = new Map<string, number[]>()
  const room = (request: CallRequest): number =>
    Math.max(
      0,
      ...request.buckets.flatMap((bucket) =>
        bucket.limits.map(({ calls, perMs }) => {
          const earlier = taken.get(bucket.name)?.at(-calls)
          return earlier === undefined ? 0 : earlier + perMs - clock.monotonic()
        }),
      ),
    )
  return {
    hold: scheduler.hold,
    run: async (request, call) => {
      await clock.advance(room(request))
      for (const { name } of request.buckets) {
        taken.set(name, [...(taken.get(name) ?? []), clock.monotonic()])
      }
      return scheduler.run(request, call)
    },
  }
}

const state = (text: string, phase: LiveState['phase']): LiveState => ({
  phase,
  label: '',
  text,
  steps: [],
  todos: [],
})

describe('a call that waits for its turn', () => {
  it('shows what is the newest when it starts', async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    let waits = false
    const gated = (scheduler: CallScheduler): CallScheduler => ({
      hold: scheduler.hold,
      run: async (request, call) => {
        if (waits) await gate
        return scheduler.run(request, call)
      },
    })
    await using stage = await createStage({ schedule: gated })
    await stage.start()
    const to = groupAddress(stage)
    const live = (text: string) => ({ type: 'live', live: state(text, 'working') }) as const
    const sent = await stage.adapter.send(to, live('一'), sendOptions())
    waits = true
    let newest = '一二'
    const latest = (): LiveState => state(newest, 'working')
    const update = stage.adapter.update(sent, to, live('一二'), { ...sendOptions(), latest })
    newest = '一二三四'
    open()
    await update
    expect(stage.control.message(sent.messageId)?.text).toContain('一二三四')
    const calls = stage.control.requests().filter((request) => request.route.includes('/content'))
    expect(calls).toHaveLength(1)
  })
})

describe('the named limits', () => {
  it('feishu 25: a fast answer paced by them is never refused by the platform', async () => {
    await using stage = await createStage({ settings: { rateLimits: true }, schedule: paced })
    await stage.start()
    const to = groupAddress(stage)
    let text = '字'
    let sent = await stage.adapter.send(to, { type: 'live', live: state(text, 'working') }, sendOptions())
    for (let token = 0; token < 60; token++) {
      text += '又一字'
      sent = await stage.adapter.update(
        sent,
        to,
        { type: 'live', live: state(text, 'working') },
        sendOptions(),
      )
    }
    await stage.adapter.update(sent, to, { type: 'live', live: state(text, 'done') }, sendOptions())
    const calls = stage.control.requests().filter((request) => request.route.includes('cardkit'))
    expect(calls.filter((request) => request.code !== 0)).toEqual([])
    expect(calls).toHaveLength(1 + 60 + 2)
    expect(stage.holds).toEqual([])
    expect(stage.control.message(sent.messageId)?.text).toContain(text)
  })

  it('feishu 22: many messages to one chat keep to five a second', async () => {
    await using stage = await createStage({ settings: { rateLimits: true }, schedule: paced })
    await stage.start()
    for (let n = 0; n < 12; n++) {
      await stage.adapter.send(groupAddress(stage), { type: 'text', text: `${n}` }, sendOptions())
    }
    const codes = stage.control.requests('POST /open-apis/im/v1/messages').map((request) => request.code)
    expect(codes).toEqual(Array.from({ length: 12 }, () => 0))
    const shown = stage.control.transcript(stage.group).filter((message) => message.sender.kind === 'bot')
    expect(shown.map((message) => message.text)).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`))
  })
})
