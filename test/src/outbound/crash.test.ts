import { describe, expect, it } from 'vitest'
import type { AppError } from '../../../src/protocol/errors.ts'
import { findMailByKey, type NewOutboxRow } from '../../../src/store/repositories/outbox.ts'
import { outOfSpace } from '../../support/full-disk.ts'
import { isEmbedded } from '../../support/store.ts'
import { mail, type OutboxStage, outboxStages, refused } from './stage.ts'

const open = outboxStages()

describe('after a crash', () => {
  async function interrupt(
    { store, outbox }: OutboxStage,
    key: string,
    change: Partial<NewOutboxRow> = {},
  ): Promise<void> {
    await outbox.put(store.db, mail(key, change))
    await store.db.updateTable('outbox').set({ state: 'sending' }).where('key', '=', key).execute()
  }

  it('R22: repeats a send where the platform drops the repeated key', async () => {
    const stage = await open()
    const { clock, adapter, outbox, stateOf } = stage
    await interrupt(stage, 'a')
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a'])
    expect(await stateOf('a')).toBe('sent')
  })

  it('R22: does not where it might arrive twice, and says so', async () => {
    const stage = await open({ idempotentSendMs: 0 })
    const { clock, adapter, outbox, stateOf } = stage
    await interrupt(stage, 'a')
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls).toEqual([])
    expect(await stateOf('a')).toBe('unknown')
  })

  it('R22: repeats what was prepared so that a repeat replaces it', async () => {
    const stage = await open({ idempotentSendMs: 0 })
    const { store, clock, adapter, outbox, stateOf } = stage
    await interrupt(stage, 'a')
    await store.db.updateTable('outbox').set({ prepared: '{"repeatable":true}' }).execute()
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a'])
    expect(await stateOf('a')).toBe('sent')
  })

  it('R22: a message that may be seen twice is repeated, but not for ever', async () => {
    const stage = await open({ idempotentSendMs: 0 })
    const { clock, adapter, outbox, stateOf } = stage
    const repeatable = {
      message: { type: 'markdown' as const, markdown: 'decide' },
      repeatable: true as const,
    }
    await interrupt(stage, 'a', { payload: repeatable })
    const unknown = (): AppError => refused('wecom.outcome_unknown')
    adapter.fail(unknown(), unknown(), unknown(), unknown())
    await outbox.start()
    await clock.advance(600_000)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a', 'a', 'a'])
    expect(await stateOf('a')).toBe('unknown')
  })

  it('sends what was still queued', async () => {
    const { store, clock, adapter, outbox } = await open()
    await outbox.put(store.db, mail('a'))
    await outbox.start()
    await clock.advance(0)
    expect(adapter.said()).toEqual(['words of a'])
  })

  it('R42: words that a restored backup still holds are not sent when their time is over', async () => {
    const { store, clock, adapter, outbox } = await open()
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

describe.runIf(isEmbedded)('a full disk', () => {
  it('R13: what was sent meanwhile is written down when there is room, and not sent again', async () => {
    const { store, clock, adapter, send, stateOf } = await open()
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
    const { store, adapter, outbox, send, stateOf } = await open()
    adapter.handle = { note: 'x'.repeat(200_000) }
    await outOfSpace(store)
    await send(mail('a'))
    await outbox.stop()
    expect(await stateOf('a')).toBe('sending')
  })
})
