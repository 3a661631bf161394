import { beforeEach, describe, expect, it } from 'vitest'
import type { Bots } from '../../../src/bots.ts'
import { watchUnheardBots } from '../../../src/house/unheard-bots.ts'
import { insertInbox } from '../../../src/store/repositories/inbox.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createRecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'

describe('a bot that was never heard', () => {
  let clock: ManualClock
  let logger: ReturnType<typeof createCollectingLogger>
  let adapter: ReturnType<typeof createRecordingAdapter>
  let store: Awaited<ReturnType<typeof openTestStore>>
  const warnings = (): string[] =>
    logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
  const watch = (simulated = false): (() => void) =>
    watchUnheardBots({ store, clock, logger, simulated, bots: { all: () => [adapter] } as unknown as Bots })
  /** Time passes, and what was begun then ends. */
  const wait = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    await store.db.selectFrom('inbox').select('id').execute()
    await new Promise(setImmediate)
  }

  beforeEach(async () => {
    clock = createManualClock()
    logger = createCollectingLogger()
    adapter = createRecordingAdapter()
    store = await openTestStore()
  })

  it('is not spoken of when its company is simulated', async () => {
    watch(true)
    await wait(779_000)
    expect(warnings()).toEqual([])
  })

  it('is spoken of once, with what is usually missing', async () => {
    watch()
    await wait(179_000)
    expect(warnings()).toEqual([])
    await wait(600_000)
    expect(warnings()).toEqual([expect.stringMatching(/npm run doctor.*group.*version.*subscribed/)])
  })

  it('is not spoken of when it was heard, is not connected, or the service stops', async () => {
    const stop = watch()
    stop()
    await wait(600_000)
    adapter.setStatus({ state: 'failed', detail: 'bad secret' })
    watch()
    await wait(600_000)
    adapter.setStatus({ state: 'connected', detail: '' })
    const event = {
      dedupe: 'm',
      sessionId: 's',
      botId: adapter.botId,
      kind: 'message',
      state: 'waiting',
    } as const
    await insertInbox(store.db, [{ ...event, payload: '{}', receivedAt: 1 }])
    watch()
    await wait(600_000)
    expect(warnings()).toEqual([])
  })
})
