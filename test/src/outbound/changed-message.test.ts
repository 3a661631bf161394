import { describe, expect, it } from 'vitest'
import { insertRun, setLive } from '../../../src/store/repositories/runs.ts'
import { ensureSession } from '../../../src/store/repositories/sessions.ts'
import { address, mail, type OutboxStage, outboxStages, refused } from './stage.ts'

const open = outboxStages()

describe('messages that change', () => {
  const update = { messageId: 'om_9', handle: {} }
  const message = { type: 'markdown' as const, markdown: 'new' }

  async function runWith({ store, clock }: OutboxStage, live: Parameters<typeof setLive>[2]): Promise<void> {
    const session = await ensureSession(store.db, address, clock.now())
    const run = { id: 'r1', sessionId: session.id, requester: 'feishu:ou_1', replyTo: undefined, model: 'm' }
    await insertRun(store.db, run, clock.now())
    await setLive(store.db, 'r1', live)
  }

  it('puts a final into the run’s live message', async () => {
    const stage = await open()
    const { adapter, send } = stage
    await runWith(stage, { generation: 0, sent: update })
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls).toMatchObject([{ kind: 'update', before: 'om_9', key: 'f-r1-0' }])
  })

  it('R22: a live message that was only prepared is sent under its own key, from what was prepared', async () => {
    const stage = await open()
    const { adapter, send } = stage
    await runWith(stage, { generation: 2, prepared: { card: 'c1' } })
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls).toMatchObject([
      { kind: 'send', key: 'l-r1-2', options: { prepared: { card: 'c1' } } },
    ])
  })

  it('sends a result as a new message when the old one cannot be changed any more', async () => {
    const stage = await open()
    const { adapter, send } = stage
    await runWith(stage, { generation: 0, sent: update })
    adapter.fail(refused('feishu.too_old'))
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls.map(({ kind }) => kind)).toEqual(['update', 'send'])
  })

  it('R22: a change whose outcome nobody knows is not said in a second message', async () => {
    const stage = await open()
    const { adapter, send, stateOf } = stage
    await runWith(stage, { generation: 0, sent: update })
    adapter.fail(refused('wecom.outcome_unknown'))
    await send(mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    expect(adapter.calls.map(({ kind }) => kind)).toEqual(['update'])
    expect(await stateOf('f-r1-0')).toBe('unknown')
  })

  it('R22: what the row itself prepared counts, not what the running message did', async () => {
    const stage = await open()
    const { store, clock, adapter, outbox } = stage
    await runWith(stage, { generation: 0, prepared: { final: '' } })
    await outbox.put(store.db, mail('f-r1-0', { payload: { message, intoRun: 'r1' } }))
    await store.db.updateTable('outbox').set({ prepared: '{"final":"said"}' }).execute()
    await outbox.start()
    await clock.advance(0)
    expect(adapter.calls).toMatchObject([{ key: 'l-r1-0', options: { prepared: { final: 'said' } } }])
  })

  it('a repaint that is refused is not worth a second message', async () => {
    const { adapter, send, stateOf } = await open()
    adapter.fail(refused('feishu.too_old'))
    await send(mail('p', { payload: { message, update } }))
    expect(adapter.calls.map(({ kind }) => kind)).toEqual(['update'])
    expect(await stateOf('p')).toBe('failed')
  })
})
