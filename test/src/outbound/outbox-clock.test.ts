import { expect, it } from 'vitest'
import { createOutbox } from '../../../src/outbound/outbox.ts'
import { chatKey } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'

const address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }

it.each([
  ['the clock is set back meanwhile', undefined, -7_200_000, 10_000],
  ['the platform asks for a day', 86_400_000, 0, 600_000],
])('a message that is tried again leaves soon, although %s', async (_name, retryAfterMs, jump, ms) => {
  const store = await openTestStore()
  const clock = createManualClock()
  const adapter = createRecordingAdapter()
  const outbox = createOutbox({
    ...{ store, clock, random: createSeededRandom(), logger: createCollectingLogger() },
    adapter: () => adapter,
    onClosed: async () => {},
  })
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs }
  adapter.fail(new AppError('feishu.busy', 'try later', { retryable: true, ...retry }))
  await outbox.put(store.db, {
    ...{ key: 'k1', address, ref: 'notice', priority: 'high', deadlineMs: 90_000_000 },
    payload: { message: { type: 'markdown', markdown: 'words' } },
  })
  outbox.flush(chatKey(address))
  await clock.advance(0)
  clock.jump(jump)
  await clock.advance(ms)
  expect(adapter.said()).toEqual(['words', 'words'])
  await outbox.stop()
  await store.close()
})
