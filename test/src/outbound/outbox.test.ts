import { describe, expect, it } from 'vitest'
import { isChatGone } from '../../../src/outbound/outbox.ts'
import { findMailByKey } from '../../../src/store/repositories/outbox.ts'
import { address, busy, mail, outboxStages, refused } from './stage.ts'

const open = outboxStages()

describe('sending', () => {
  it('sends the rows of one chat in order, one at a time, and closes each by the platform’s answer', async () => {
    const { clock, adapter, closed, send } = await open()
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
    const { adapter, send, stateOf } = await open()
    const other = mail('other', { address: { ...address, chatId: 'oc_2' } })
    adapter.fail(busy(60_000))
    await send(mail('slow'), other)
    expect(await stateOf('slow')).toBe('pending')
    expect(await stateOf('other')).toBe('sent')
  })

  it('sends a decision that was written twice once', async () => {
    const { adapter, send } = await open()
    await send(mail('same'), mail('same'))
    expect(adapter.calls).toHaveLength(1)
  })

  it('tries again after a fault that passes, under the same key, after what the platform asked for', async () => {
    const { clock, adapter, send, stateOf } = await open()
    adapter.fail(busy(5_000))
    await send(mail('a'))
    await clock.advance(4_999)
    expect(adapter.calls).toHaveLength(1)
    await clock.advance(1)
    expect(adapter.calls.map(({ key }) => key)).toEqual(['a', 'a'])
    expect(await stateOf('a')).toBe('sent')
  })

  it('gives a message up at what does not pass, and goes on with the next', async () => {
    const { adapter, send, stateOf } = await open()
    adapter.fail(refused())
    await send(mail('a'), mail('b'))
    expect(await stateOf('a')).toBe('failed')
    expect(await stateOf('b')).toBe('sent')
  })

  it('gives a message up once its deadline is over', async () => {
    const { clock, adapter, send, stateOf } = await open()
    adapter.fail(busy(30_000), busy(30_000))
    await send(mail('a', { deadlineMs: 20_000 }))
    await clock.advance(60_000)
    expect(await stateOf('a')).toBe('failed')
  })

  it('R22: what may have been sent is never sent again', async () => {
    const { clock, adapter, send, stateOf } = await open()
    adapter.fail(refused('wecom.outcome_unknown'))
    await send(mail('a'))
    await clock.advance(3_600_000)
    expect(adapter.calls).toHaveLength(1)
    expect(await stateOf('a')).toBe('unknown')
  })

  it('says an approval in words when the platform refuses the card', async () => {
    const { adapter, send, stateOf } = await open()
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
    const { store, send } = await open()
    await send(mail('a', { address: { ...address, botId: 'gone' } }))
    const row = await findMailByKey(store.db, 'a')
    expect(JSON.parse(row?.error ?? '')).toMatchObject({
      code: 'outbox.no_bot',
      hint: 'Put the bot back into yizhan.yaml.',
    })
  })

  it('tells who waits for a row, and stops waiting after a while', async () => {
    const { clock, adapter, outbox, send } = await open()
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

describe('R28: a stop', () => {
  it('gives back what still waits for its turn, and leaves what is on the wire to the next start', async () => {
    const { store, clock, adapter, outbox, send, stateOf } = await open({ idempotentSendMs: 0 })
    const wire = Promise.withResolvers<never>()
    adapter.send = (_to, _message, { key, signal }) => {
      if (key === 'leaves') return wire.promise
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    }
    await send(mail('waits'), mail('leaves', { address: { ...address, chatId: 'oc_2' } }))
    let stopped = false
    const stop = outbox.stop(3_000).then(() => (stopped = true))
    await clock.advance(2_999)
    expect(stopped).toBe(false)
    await clock.advance(1)
    expect(await stateOf('waits')).toBe('pending')
    expect((await findMailByKey(store.db, 'waits'))?.deadline).toBeGreaterThan(clock.now())
    await clock.advance(500)
    await stop
    expect(await stateOf('leaves')).toBe('sending')
    wire.reject(new Error('the process is gone'))
  })

  it('does not wait when nothing is under way', async () => {
    const { outbox, send } = await open()
    await send(mail('a'))
    await outbox.stop()
  })
})

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
