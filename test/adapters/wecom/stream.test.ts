import { beforeEach, describe, expect, it } from 'vitest'
import { notConnected, outcomeUnknown, wecomError } from '../../../adapters/wecom/errors.ts'
import { createLiveStreams, type LiveStreams } from '../../../adapters/wecom/stream.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { SendOptions } from '../../../src/protocol/adapter.ts'
import type { LiveState, SentMessage } from '../../../src/protocol/outbound.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { GROUP_ADDRESS, liveOf } from './house.ts'
import { options } from './twins.ts'

const WINDOW_MS = 335_000
const working = (text: string): LiveState => liveOf(text).live
const done = (text: string): LiveState => liveOf(text, { phase: 'done', label: '完成' }).live

/** Bubbles as they stand in the chat: WeCom's rule for frames, and nothing else of it. */
let standing: Map<string, { text: string; finished: boolean }>
/**
 * What becomes of the next frames: `lost` never arrives, `unheard` arrives and its answer does not, `unreadable`
 * arrives and nobody understands the answer, `offline` and `given up` never leave.
 */
let luck: ('lost' | 'unheard' | 'unreadable' | 'given up' | 'offline')[]
let clock: ManualClock
let streams: LiveStreams
let prepared: SentMessage['handle'][]

const said = (): string[] =>
  [...standing.values()].map(({ text, finished }) => (finished ? text : `${text} ▍`))
const noting = (key: string, change: Partial<SendOptions> = {}): SendOptions =>
  options(key, { onPrepared: async (handle) => void prepared.push(handle), ...change })

function process(): LiveStreams {
  return createLiveStreams({
    clock,
    logger: createCollectingLogger(),
    text: createTranslate('zh-CN'),
    windowMs: WINDOW_MS,
    maxBytes: 20_480,
    sendFrame: async (_bubble, frame) => {
      const fate = luck.shift()
      if (fate === 'given up') throw new Error('the run has ended')
      if (fate === 'offline') throw notConnected('frame')
      if (fate === 'lost') throw outcomeUnknown('frame')
      if (standing.get(frame.id)?.finished) {
        if (fate === 'unreadable') throw new TypeError('an answer that is not one')
        throw wecomError(846608, 'finished', 'frame')
      }
      standing.set(frame.id, { text: frame.content, finished: frame.finish })
      if (fate === 'unheard') throw outcomeUnknown('frame')
      if (fate === 'unreadable') throw new TypeError('an answer that is not one')
    },
    push: async (_to, markdown) => {
      standing.set('pushed', { text: markdown, finished: true })
      return { messageId: 'pushed', handle: {} }
    },
  })
}

beforeEach(() => {
  standing = new Map()
  luck = []
  prepared = []
  clock = createManualClock()
  streams = process()
})

describe.each(['lost', 'unheard'] as const)('a final frame that is %s', (fate) => {
  it('wecom 24: may be repeated, and stands once', async () => {
    const sent = await streams.open(GROUP_ADDRESS, 'r', working('先'), options('l-1'))
    luck = [fate]
    const again = (): Promise<SentMessage> =>
      streams.update(sent, GROUP_ADDRESS, done('先看'), options('l-1'))

    await expect(again()).rejects.toMatchObject({ code: 'wecom.outcome_unknown', retryable: true })
    await again()

    expect(said()).toEqual(['先看'])
  })

  it('wecom 24: stands once also when a card comes between', async () => {
    luck = [fate, fate]
    const first = streams.open(GROUP_ADDRESS, 'r', done('好了'), options('l-1'))
    await expect(first).rejects.toMatchObject({ retryable: true })
    await streams.finishChat(GROUP_ADDRESS.chatId)
    await streams.open(GROUP_ADDRESS, 'r', done('好了'), options('l-1')).catch(() => undefined)
    await streams.open(GROUP_ADDRESS, 'r', done('好了'), options('l-1'))

    expect(said()).toEqual(['好了'])
  })

  it('R22: is repeated by the next process from what was prepared, and stands once', async () => {
    luck = [fate]
    await expect(streams.open(GROUP_ADDRESS, 'r', done('好了'), noting('l-1'))).rejects.toThrow()
    const handle = prepared.at(-1) ?? {}
    expect(handle).toMatchObject({ repeatable: true })

    await process().open(GROUP_ADDRESS, 'r', done('好了'), options('l-1', { prepared: handle }))

    expect(said()).toEqual(['好了'])
  })

  it('is not repeated for ever: when its time is over nobody knows', async () => {
    luck = [fate, fate]
    await expect(streams.open(GROUP_ADDRESS, 'r', done('好了'), options('l-1'))).rejects.toThrow()
    clock.jump(WINDOW_MS)
    await expect(streams.open(GROUP_ADDRESS, 'r', done('好了'), options('l-1'))).rejects.toMatchObject({
      code: 'wecom.outcome_unknown',
      retryable: false,
    })
  })
})

it('R22: another answer than the one that stands there follows in a bubble of its own', async () => {
  luck = ['unheard']
  await expect(streams.open(GROUP_ADDRESS, 'r', done('一'), noting('l-1'))).rejects.toThrow()
  const next = process()
  const again = options('l-1', { prepared: prepared.at(-1) ?? {} })

  await next.open(GROUP_ADDRESS, 'r', working(''), again)
  await next.open(GROUP_ADDRESS, 'r', done('二'), again)

  expect(said()).toEqual(['一', '二'])
})

describe('a first frame', () => {
  it('that never left is not said by a later card, nor when its time is over', async () => {
    luck = ['given up']
    await expect(streams.open(GROUP_ADDRESS, 'r', working('全部'), options('l-1'))).rejects.toThrow()
    await streams.open(GROUP_ADDRESS, 'r', done('全部'), options('f-1'))

    await streams.finishChat(GROUP_ADDRESS.chatId)
    await clock.advance(WINDOW_MS + 1_000)

    expect(said()).toEqual(['全部'])
  })

  it.each(['lost', 'unheard', 'given up'] as const)(
    'that is %s leaves nobody thinking: the final goes into the same bubble, after a restart too',
    async (fate) => {
      luck = [fate]
      await expect(streams.open(GROUP_ADDRESS, 'r', working(''), noting('l-1'))).rejects.toThrow()

      await process().open(
        GROUP_ADDRESS,
        'r',
        done('好了'),
        noting('l-1', { prepared: prepared.at(-1) ?? {} }),
      )

      expect(said()).toEqual(['好了'])
    },
  )
})

describe.each(['offline', 'lost', 'unheard', 'unreadable', 'given up'] as const)(
  'a bubble of an earlier process that already shows the whole answer, when closing it is %s',
  (fate) => {
    it('R22: is closed by the next try, before the answer stands in the next bubble', async () => {
      const sent = await streams.open(GROUP_ADDRESS, 'r', working('全部'), options('l-1'))
      const next = process()
      luck = [fate]
      await expect(next.update(sent, GROUP_ADDRESS, done('全部'), noting('l-1'))).rejects.toThrow()
      expect(prepared).toEqual([])

      await next.update(sent, GROUP_ADDRESS, done('全部'), options('f-1'))

      expect(said()).toEqual(['服务刚刚重启，结果见下一条消息。', '全部'])
    })

    it('R22: does not lose what is only painted anew', async () => {
      const sent = await streams.open(GROUP_ADDRESS, 'r', working('半'), options('l-1'))
      const next = process()
      const repaint = (): Promise<SentMessage> =>
        next.update(sent, GROUP_ADDRESS, done('见下方'), options('m-1', { repaint: true }))
      luck = [fate]
      await expect(repaint()).rejects.toThrow()

      await repaint()

      expect(said()).toEqual(['见下方'])
    })
  },
)

it('R22: a bubble that an earlier process or WeCom ended holds nothing up', async () => {
  const sent = await streams.open(GROUP_ADDRESS, 'r', working('半'), options('l-1'))
  standing.set('l-1', { text: '半', finished: true })

  await process().update(sent, GROUP_ADDRESS, done('全部'), options('f-1'))

  expect(said()).toEqual(['半', '全部'])
})

describe('R22: a bubble of an earlier process whose end WeCom never tells', () => {
  const closing = async (after: number): Promise<Record<string, unknown>[]> => {
    const sent = await streams.open(GROUP_ADDRESS, 'r', working('全部'), options('l-1'))
    clock.jump(after)
    const next = process()
    const errors: Record<string, unknown>[] = []
    for (let tries = 0; tries < 20; tries++) {
      luck = ['unreadable']
      await next
        .update(sent, GROUP_ADDRESS, done('全部'), options('f-1'))
        .catch((error) => errors.push(error))
    }
    return errors
  }

  it('is asked again as long as it can run', async () => {
    const errors = await closing(WINDOW_MS - 1)
    expect(errors).toHaveLength(20)
    for (const error of errors)
      expect(error).toMatchObject({ code: 'wecom.outcome_unknown', retryable: true })
  })

  it('then a few times more, until the outcome is unknown: said by nobody, and the chat goes on', async () => {
    const errors = await closing(WINDOW_MS)
    expect(errors.slice(0, 7).map(({ retryable }) => retryable)).toEqual([...Array(6).fill(true), false])
    expect(errors[6]).toMatchObject({ code: 'wecom.outcome_unknown' })
    expect(said()).toHaveLength(1)
  })

  it('because a stop ended the waiting, is asked again by the next start', async () => {
    const sent = await streams.open(GROUP_ADDRESS, 'r', working('全部'), options('l-1'))
    const stopping = new AbortController()
    luck = ['unheard']
    stopping.abort()
    await expect(
      process().update(sent, GROUP_ADDRESS, done('全部'), options('f-1', { signal: stopping.signal })),
    ).rejects.toMatchObject({ code: 'wecom.outcome_unknown', retryable: true })

    await process().update(sent, GROUP_ADDRESS, done('全部'), options('f-1'))

    expect(said()).toEqual(['服务刚刚重启，结果见下一条消息。', '全部'])
  })
})
