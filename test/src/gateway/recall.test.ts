import { describe, expect, it } from 'vitest'
import { findInbox } from '../../../src/store/repositories/inbox.ts'
import { insertRun } from '../../../src/store/repositories/runs.ts'
import { gatewayStages, group, messageEvent, session } from './stage.ts'

const { open, settle } = gatewayStages()

describe('a recalled message', () => {
  const recall = (messageId: string) =>
    ({ type: 'recalled', address: group, eventId: 'ev_r', messageId, sentAt: 1 }) as const

  it('that nobody has read is forgotten', async () => {
    const { gateway, store, interrupted } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_r', mentionsBot: true }))
    await gateway.receive(recall('om_r'))
    await settle()
    expect(await findInbox(store.db, 'ops:m:om_r')).toMatchObject({ state: 'dropped' })
    expect(interrupted).toEqual([])
  })

  it('R24: that is being answered stops the run that answers it, and no other', async () => {
    const { gateway, store, interrupted } = await open()
    for (const messageId of ['om_1st', 'om_2nd'])
      await gateway.receive(messageEvent({ messageId, mentionsBot: true }))
    await settle()
    await store.db.updateTable('inbox').set({ state: 'taken' }).execute()
    const run = {
      id: 'r1',
      sessionId: session,
      requester: 'feishu:ou_1',
      replyTo: 'om_1st',
      model: 'main',
    }
    await insertRun(store.db, run, 1)
    await gateway.receive(recall('om_2nd'))
    await settle()
    expect(interrupted).toEqual([])
    await gateway.receive(recall('om_1st'))
    await settle()
    expect(interrupted).toEqual([session])
  })
})
