import { describe, expect, it } from 'vitest'
import { sessionKey } from '../../../src/protocol/address.ts'
import { findInbox, waitingMessages } from '../../../src/store/repositories/inbox.ts'
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

  describe.each([
    ['whose moment is fixed', { isSentAtFixed: true as const }],
    ['known by its id alone', {}],
  ])('%s', (_which, moment) => {
    it('R24: that comes after its recall is no work, then, again, and after a restart', async () => {
      let stage = await open()
      await stage.gateway.receive(recall('om_r'))
      const copy = messageEvent({ messageId: 'om_r', mentionsBot: true, ...moment })
      await stage.gateway.receive(copy)
      await stage.gateway.receive(copy)
      await settle()
      const { dataDir } = stage.store
      await stage.close()
      stage = await open({}, dataDir)
      await stage.gateway.receive(copy)
      await settle()
      expect(await waitingMessages(stage.store.db, session)).toEqual([])
      expect(stage.woken).toEqual([])
    })

    it('R24: in a topic is forgotten, although a recall names no topic', async () => {
      const { gateway, store } = await open()
      const topic = { ...group, threadId: 'omt_1' }
      for (const messageId of ['om_r', 'om_other'])
        await gateway.receive(messageEvent({ messageId, address: topic, mentionsBot: true, ...moment }))
      await gateway.receive(recall('om_r'))
      await settle()
      const waiting = await waitingMessages(store.db, sessionKey(topic))
      expect(waiting.map(({ payload }) => JSON.parse(payload).messageId)).toEqual(['om_other'])
    })

    it('R24: whose recall failed in the middle is stopped when the recall is delivered again', async () => {
      const { gateway, store, interrupted } = await open()
      await gateway.receive(messageEvent({ messageId: 'om_r', mentionsBot: true, ...moment }))
      await settle()
      await store.db.updateTable('inbox').set({ state: 'taken' }).execute()
      // The row of the recall is written, the run is not there yet: as far as a crash lets it come.
      await gateway.receive(recall('om_r'))
      const run = { id: 'r1', sessionId: session, requester: 'feishu:ou_1', replyTo: 'om_r', model: 'main' }
      await insertRun(store.db, run, 1)
      await gateway.receive(recall('om_r'))
      await settle()
      expect(interrupted).toEqual([session])
    })
  })

  it('R24: of another chat, or of another bot, changes nothing here', async () => {
    const { gateway, store } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_r', mentionsBot: true, isSentAtFixed: true }))
    for (const address of [
      { ...group, chatId: 'oc_2' },
      { ...group, botId: 'other' },
    ])
      await gateway.receive({ ...recall('om_r'), address })
    await settle()
    expect(await waitingMessages(store.db, session)).toHaveLength(1)
  })
})
