/** A process that dies while the model speaks, at every piece of what it says; another one goes on. */
import { expect, it } from 'vitest'
import { createDirectEngine } from '../../../src/engine/index.ts'
import type { Gate } from '../../../src/protocol/engine.ts'
import type { Model, ModelEvent } from '../../../src/protocol/model.ts'
import { createManualClock } from '../../support/clock.ts'
import { fakeTool, ok } from '../../support/engine-deps.ts'
import { createRecordingAdapter } from '../../support/recording-adapter.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'
import { openWorker, type Run } from './stage.ts'

const DAY = Date.UTC(2026, 0, 5, 1)
const LATER_MS = 10 * 60_000
const PIECES = ['今天', '一共', '卖出', '了 12 ', '件，', '比昨天', '多 3 件', '。']
const ANSWER = PIECES.join('')
const FIRST: readonly ModelEvent[] = [
  ...['先', '查', '一', '下'].map((delta): ModelEvent => ({ type: 'text', delta })),
  { type: 'tool_call', call: { id: 'c1', name: 'look', arguments: '{"text":"sales"}' } },
  { type: 'done', stop: 'tool_calls', usage: undefined },
]
const SECOND: readonly ModelEvent[] = [
  ...PIECES.map((delta): ModelEvent => ({ type: 'text', delta })),
  { type: 'done', stop: 'end', usage: undefined },
]
/** Where the first process dies: in which reply, before which of its events. */
const CUTS = [FIRST, SECOND].flatMap((events, reply) => events.map((_event, piece) => ({ reply, piece })))

const model = () =>
  createScriptedModel(({ messages }) => (messages.some(({ role }) => role === 'tool') ? SECOND : FIRST))

/** Says nothing more from the cut on, and never ends by itself. */
function dying(cut: (typeof CUTS)[number], dead: () => void, end: Promise<never>): Model {
  const whole = model()
  let replies = 0
  return {
    ...whole,
    async *stream(request, signal) {
      const reply = replies++
      let piece = 0
      for await (const event of whole.stream(request, signal)) {
        if (reply === cut.reply && piece++ === cut.piece) {
          dead()
          await end
        }
        yield event
      }
    },
  }
}

it('R3: killed at any piece of any reply, the turn goes on from the last whole step and is said once', {
  timeout: 120_000,
}, async () => {
  const engine = createDirectEngine()
  const gate: Gate = { judge: async () => ({ effect: 'allow' }), begin: async () => true }
  for (const cut of CUTS) {
    const platform = createRecordingAdapter()
    const looked: string[] = []
    const look = fakeTool('look', true, (text) => {
      looked.push(text)
      return ok('12 sold, 9 the day before')
    })
    const speaks =
      (voice: Model): Run =>
      (view, deps, signal) =>
        engine.run(view, { ...deps, gate, tools: [look], model: voice }, signal)

    const dead = Promise.withResolvers<void>()
    const end = Promise.withResolvers<never>()
    const first = await openWorker([speaks(dying(cut, dead.resolve, end.promise))], undefined, { platform })
    await first.say('今天卖了多少？')
    const working = first.work()
    await dead.promise
    // What it had said is on the screen when it dies.
    await first.clock.advance(600)
    if (cut.reply === 1 && cut.piece > 0)
      expect(platform.messages()).toEqual([PIECES.slice(0, cut.piece).join('')])

    const second = await openWorker([speaks(model())], first.store.dataDir, {
      platform,
      clock: createManualClock(DAY + LATER_MS),
    })
    await second.work()
    await second.clock.advance(1_000)
    expect([cut, platform.messages(), looked]).toEqual([cut, [ANSWER], ['sales']])
    await second.close()
    end.reject(new Error('dead'))
    await working.catch(() => {})
    await first.close()
  }
})
