/** An outbox over a real store, with a recording platform behind it. */
import { afterEach } from 'vitest'
import { createOutbox, type Delivery, type Outbox } from '../../../src/outbound/outbox.ts'
import type { Capabilities } from '../../../src/protocol/adapter.ts'
import { type Address, chatKey } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { findMailByKey, type NewOutboxRow } from '../../../src/store/repositories/outbox.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'

export const address: Address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' }

/** The platform asks to come back later, after a time of its own or not. */
export const busy = (retryAfterMs?: number): AppError =>
  new AppError('feishu.busy', 'try later', {
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })

/** The platform does not take the message, now or ever. */
export const refused = (code = 'feishu.refused'): AppError => new AppError(code, 'no')

export function mail(key: string, change: Partial<NewOutboxRow> = {}): NewOutboxRow {
  return {
    key,
    address,
    ref: 'notice',
    priority: 'high',
    deadlineMs: 3_600_000,
    payload: { message: { type: 'markdown', markdown: `words of ${key}` } },
    ...change,
  }
}

export interface OutboxStage {
  readonly store: Awaited<ReturnType<typeof openTestStore>>
  readonly clock: ManualClock
  readonly adapter: RecordingAdapter
  readonly outbox: Outbox
  /** Rows in the order in which they were closed, with what came of each. */
  readonly closed: (readonly [key: string, delivery: Delivery])[]
  /** Called behind each row that is closed. */
  onClosed: () => void
  /** Puts rows, and lets everything that can leave now leave. */
  send(...rows: NewOutboxRow[]): Promise<void>
  stateOf(key: string): Promise<string | undefined>
  close(): Promise<void>
}

export async function openOutbox(capabilities: Partial<Capabilities> = {}): Promise<OutboxStage> {
  const store = await openTestStore()
  const clock = createManualClock()
  const adapter = createRecordingAdapter({ capabilities })
  const outbox = createOutbox({
    ...{ store, clock, random: createSeededRandom(), logger: createCollectingLogger() },
    adapter: (botId) => (botId === 'ops' ? adapter : undefined),
    onClosed: async (row, delivery) => {
      stage.closed.push([row.key, delivery])
      stage.onClosed()
    },
  })
  const stage: OutboxStage = {
    ...{ store, clock, adapter, outbox, closed: [], onClosed: () => {} },
    send: async (...rows) => {
      for (const row of rows) await outbox.put(store.db, row)
      for (const row of rows) outbox.flush(chatKey(row.address))
      await clock.advance(0)
    },
    stateOf: async (key) => (await findMailByKey(store.db, key))?.state,
    close: async () => {
      await outbox.stop()
      await store.close()
    },
  }
  return stage
}

/** For a file of tests: opens stages, and closes the last one behind each test. */
export function outboxStages(): typeof openOutbox {
  let stage: OutboxStage | undefined
  afterEach(async () => {
    await stage?.close()
    stage = undefined
  })
  return async (capabilities) => {
    stage = await openOutbox(capabilities)
    return stage
  }
}
