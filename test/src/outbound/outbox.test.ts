import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOutbox, type Delivery, isChatGone, type Outbox } from '../../../src/outbound/outbox.ts'
import { type Address, chatKey } from '../../../src/protocol/address.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { findMailByKey, type NewOutboxRow } from '../../../src/store/repositories/outbox.ts'
import { insertRun, setLive } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'

const address: Address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' }
const busy = (retryAfterMs?: number): AppError =>
  new AppError('feishu.busy', 'try later', {
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
const refused = (code = 'feishu.refused'): AppError => new AppError(code, 'no')

let store: Store
let clock: ManualClock
let adapter: RecordingAdapter
let closed: (readonly [key: string, delivery: Delivery])[]
let outbox: Outbox

beforeEach(async () => {
  store = await openTestStore()
  clock = createManualClock()
  adapter = createRecordingAdapter()
  closed = []
  outbox = build()
})

afterEach(async () => {
  await outbox.stop()
  await store.close()
})

function build(): Outbox {
  return createOutbox({
    store,
    adapter: (botId) => (botId === 'ops' ? adapter : undefined),
    clock,
    random: createSeededRandom(),
    logger: createCollectingLogger(),
    onClosed: async (row, delivery) => {
      closed.push([row.key, delivery])
    },
  })
}

function mail(key: string, change: Partial<NewOutboxRow> = {}): NewOutboxRow {
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

async function send(...rows: NewOutboxRow[]): Promise<void> {
  for (const row of rows) await outbox.put(store.db, row)
  for (const row of rows) outbox.flush(chatKey(row.address))
  await clock.advance(0)
}

const stateOf = async (key: string): Promise<string | undefined> =>
  (await findMailByKey(store.db, key))?.state

describe('sending', () => {
  it('sends the rows of one chat in order, one at a time, and closes each by the platform’s answer', async () => {
    const go = adapter.pause()
    await send(mail('a'), mail('b'), mail('c'))
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a'])
    go()
    await clock.advance(0)
    expect(adapter.said()).toEqual(['words of a', 'words of b', 'words of c'])
    expect(closed.map(([key, { state }]) => [key, state])).toEqual([
      ['a', 'sent'],
      ['b', 'sent'],
      ['c', 'sent'],
    ])
  })

  it('T6: a chat that must wait holds nobody else up', async () => {
    const other = mail('other', { address: { ...address, chatId: 'oc_2' } })
    adapter.fail(busy(60_000))
    await send(mail('slow'), other)
    expect(await stateOf('slow')).toBe('pending')
    expect(await stateOf('other')).toBe('sent')
  })

  it('sends a decision that was written twice once', async () => {
    await send(mail('same'), mail('same'))
    expect(adapter.calls).toHaveLength(1)
  })

  it('tries again after a fault that passes, under the same key, after what the platform asked for', async () => {
    adapter.fail(busy(5_000))
    await send(mail('a'))
    await clock.advance(4_999)
    expect(adapter.calls).toHaveLength(1)
    await clock.advance(1)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a', 'a'])
    expect(await stateOf('a')).toBe('sent')
  })

  it('gives a message up at what does not pass, and goes on with the next', async () => {
    adapter.fail(refused())
    await send(mail('a'), mail('b'))
    expect(await stateOf('a')).toBe('failed')
    expect(await stateOf('b')).toBe('sent')
  })

  it('gives a message up once its deadline is over', async () => {
    adapter.fail(busy(30_000), busy(30_000))
    await send(mail('a', { deadlineMs: 20_000 }))
    await clock.advance(60_000)
    expect(await stateOf('a')).toBe('failed')
  })

  it('R22: what may have been sent is never sent again', async () => {
    adapter.fail(refused('wecom.outcome_unknown'))
    await send(mail('a'))
    await clock.advance(3_600_000)
    expect(adapter.calls).toHaveLength(1)
    expect(await stateOf('a')).toBe('unknown')
  })

  it('says an approval in words when the platform refuses the card', async () => {
    adapter.fail(refused('feishu.card_refused'))
    const card = {
      tone: 'warning' as const,
      title: '需要审批',
      buttons: [],
      summary: '需要审批',
      cardId: 'c1',
      blocks: [{ type: 'code' as const, text: 'rm -rf build' }],
    }
    await send(mail('a', { payload: { message: { type: 'card', card, replyTo: 'om_1' } } }))
    expect(adapter.calls[1]?.message).toEqual({
      type: 'markdown',
      markdown: '**需要审批**\n\n```\nrm -rf build\n```',
      replyTo: 'om_1',
    })
    expect(await stateOf('a')).toBe('sent')
  })

  it('a message of a bot that is not configured fails with a hint', async () => {
    await send(mail('a', { address: { ...address, botId: 'gone' } }))
    const row = await findMailByKey(store.db, 'a')
    expect(JSON.parse(row?.error ?? '')).toMatchObject({
      code: 'outbox.no_bot',
      hint: 'Put the bot back into yizhan.yaml.',
    })
  })

  it('tells who waits for a row, and stops waiting after a while', async () => {
    adapter.fail(busy(5_000))
    const soon = outbox.closed('a', 1_000)
    const late = outbox.closed('a', 60_000)
    await send(mail('a'))
    await clock.advance(1_000)
    expect(await soon).toBeUndefined()
    await clock.advance(4_000)
    expect(await late).toMatchObject({ state: 'sent' })
  })
})

describe('messages that change', () => {
  const update = { messageId: 'om_9', handle: {} }
  const message = { type: 'markdown' as const, markdown: 'new' }

  async function runWith(live: Parameters<typeof setLive>[2]): Promise<void> {
    const session = await ensureSession(store.db, address, clock.now())
    const run = { id: 'r1', sessionId: session.id, requester: 'feishu:ou_1', replyTo: undefined, model: 'm' }
    await insertRun(store.db, run, clock.now())
    await setLive(store.db, 'r1', live)
  }

  it('puts a final into the run’s live message', async () => {
    await runWith({ generation: 0, sent: update })
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls).toMatchObject([{ kind: 'update', before: 'om_9', key: 'f-r1-0' }])
  })

  it('R22: a live message that was only prepared is sent under its own key, from what was prepared', async () => {
    await runWith({ generation: 2, prepared: { card: 'c1' } })
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls).toMatchObject([
      { kind: 'send', key: 'l-r1-2', options: { prepared: { card: 'c1' } } },
    ])
  })

  it('sends a result as a new message when the old one cannot be changed any more', async () => {
    await runWith({ generation: 0, sent: update })
    adapter.fail(refused('feishu.too_old'))
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls.map(({ kind }) => kind)).toEqual(['update', 'send'])
  })

  it('R22: a change whose outcome nobody knows is not said in a second message', async () => {
    await runWith({ generation: 0, sent: update })
    adapter.fail(refused('wecom.outcome_unknown'))
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls.map(({ kind }) => kind)).toEqual(['update'])
    expect(await stateOf('f-r1-0')).toBe('unknown')
  })

  it('R22: what the row itself prepared counts, not what the running message did', async () => {
    await runWith({ generation: 0, prepared: { final: '' } })
    await outbox.put(store.db, mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    await store.db.updateTable('outbox').set({ prepared: '{"final":"said"}' }).execute()
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls).toMatchObject([{ key: 'l-r1-0', options: { prepared: { final: 'said' } } }])
  })

  it('a repaint that is refused is not worth a second message', async () => {
    adapter.fail(refused('feishu.too_old'))
    await send(mail('p', { payload: { message, update } }))
    expect(adapter.calls.map(({ kind }) => kind)).toEqual(['update'])
    expect(await stateOf('p')).toBe('failed')
  })
})

describe('after a crash', () => {
  async function interrupt(key: string, change: Partial<NewOutboxRow> = {}): Promise<void> {
    await outbox.put(store.db, mail(key, change))
    await store.db.updateTable('outbox').set({ state: 'sending' }).where('key', '=', key).execute()
  }

  it('R22: repeats a send where the platform drops the repeated key', async () => {
    await interrupt('a')
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a'])
    expect(await stateOf('a')).toBe('sent')
  })

  it('R22: does not where it might arrive twice, and says so', async () => {
    adapter = createRecordingAdapter({ capabilities: { idempotentSendMs: 0 } })
    await interrupt('a')
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls).toEqual([])
    expect(await stateOf('a')).toBe('unknown')
  })

  it('R22: repeats what was prepared so that a repeat replaces it', async () => {
    adapter = createRecordingAdapter({ capabilities: { idempotentSendMs: 0 } })
    await interrupt('a')
    await store.db.updateTable('outbox').set({ prepared: '{"repeatable":true}' }).execute()
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a'])
    expect(await stateOf('a')).toBe('sent')
  })

  it('R22: a message that may be seen twice is repeated, but not for ever', async () => {
    adapter = createRecordingAdapter({ capabilities: { idempotentSendMs: 0 } })
    const repeatable = {
      message: { type: 'markdown' as const, markdown: 'decide' },
      repeatable: true as const,
    }
    await interrupt('a', { payload: repeatable })
    const unknown = (): AppError => refused('wecom.outcome_unknown')
    adapter.fail(unknown(), unknown(), unknown(), unknown())
    await outbox.start()
    await clock.advance(600_000)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a', 'a', 'a'])
    expect(await stateOf('a')).toBe('unknown')
  })

  it('sends what was still queued', async () => {
    await outbox.put(store.db, mail('a'))
    await outbox.start()
    await clock.advance(0)
    expect(adapter.said()).toEqual(['words of a'])
  })

  it('R42: words that a restored backup still holds are not sent when their time is over', async () => {
    await outbox.put(store.db, mail('yesterday'))
    clock.jump(24 * 3_600_000)
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls).toEqual([])
    expect(JSON.parse((await findMailByKey(store.db, 'yesterday'))?.error ?? '')).toMatchObject({
      code: 'outbox.too_late',
    })
  })
})

describe('a full disk', () => {
  it('R13: what was sent meanwhile is written down when there is room, and not sent again', async () => {
    // Nothing that large fits into the pages that are there.
    adapter.handle = { note: 'x'.repeat(200_000) }
    const room = await outOfSpace(store)
    await send(mail('a'), mail('b'))
    await clock.advance(10_000)
    expect(adapter.said()).toEqual(['words of a'])
    expect(await stateOf('a')).toBe('sending')
    await room()
    await clock.advance(60_000)
    expect(adapter.said()).toEqual(['words of a', 'words of b'])
    expect(await stateOf('a')).toBe('sent')
    expect(await stateOf('b')).toBe('sent')
  })

  it('R13: a stop does not wait for room', async () => {
    adapter.handle = { note: 'x'.repeat(200_000) }
    await outOfSpace(store)
    await send(mail('a'))
    await outbox.stop()
    expect(await stateOf('a')).toBe('sending')
  })
})

/** The database may not grow any more until the returned function is called. */
async function outOfSpace({ db }: Store): Promise<() => Promise<void>> {
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db)
  const limit = async (pages: number): Promise<void> => {
    await sql.raw(`PRAGMA max_page_count = ${pages}`).execute(db)
  }
  await limit((rows[0]?.page_count ?? 0) + 4)
  return () => limit(1_000_000)
}

describe('isChatGone', () => {
  it.each([
    ['feishu.chat_gone', true],
    ['feishu.bot_not_in_chat', true],
    ['wecom.robot_gone', true],
    ['feishu.refused', false],
  ])('%s: %s', (code, gone) => {
    expect(isChatGone(refused(code))).toBe(gone)
  })
})
