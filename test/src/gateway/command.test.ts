import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/protocol/errors.ts'
import { findInbox, waitingCommands, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { gatewayStages, group, messageEvent, person, session } from './stage.ts'

const { open, settle } = gatewayStages()

describe('a command', () => {
  it('is answered to its message, and closes its row with the answer', async () => {
    const { gateway, store, adapter } = await open()
    await gateway.receive(messageEvent({ messageId: 'om_c', mentionsBot: true, text: '/help' }))
    await settle()
    expect(adapter.calls[0]?.message).toEqual({
      type: 'markdown',
      markdown: 'command.help',
      replyTo: 'om_c',
    })
    expect(await findInbox(store.db, 'ops:m:om_c')).toMatchObject({ state: 'taken' })
  })

  it('R2: that was acknowledged before a crash is carried out at the start, once', async () => {
    const text = (): never => {
      throw new Error('killed here')
    }
    const first = await open({ text })
    await first.gateway.receive(messageEvent({ mentionsBot: true, text: '/help' }))
    await first.gateway.drain()
    await first.close()
    const second = await open({}, first.store.dataDir)
    await second.gateway.recover()
    await second.gateway.recover()
    await settle()
    expect(second.adapter.said()).toEqual(['command.help'])
  })

  it('that breaks is answered, and keeps neither the others nor the start waiting', async () => {
    const tools = (): never => {
      throw new Error('broken')
    }
    const { gateway, adapter, store } = await open({ tools })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '/tools' }))
    await settle()
    expect(adapter.said()).toEqual(['run.fault id=c1'])
    expect(await waitingCommands(store.db)).toEqual([])
  })

  it('that the store refused is carried out later, once it takes it again', async () => {
    let full = true
    const tools = (): [] => {
      if (full) throw new AppError('store.full', 'the disk is full', { retryable: true })
      return []
    }
    const { gateway, adapter, clock } = await open({ tools })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '/tools' }))
    await settle()
    expect(adapter.said()).toEqual([])
    full = false
    await gateway.recover(60_000)
    expect(adapter.said()).toEqual([])
    await clock.advance(60_000)
    await gateway.recover(60_000)
    await settle()
    expect(adapter.said()).toEqual([expect.stringContaining('command.tools')])
  })

  it('in words decides an approval', async () => {
    const { gateway, adapter, woken } = await open()
    await gateway.receive(messageEvent({ mentionsBot: true, text: '允许 ABC234' }))
    await settle()
    expect(adapter.said()).toEqual(['decided'])
    expect(woken).toEqual([])
  })
})

describe('words that look like a decision and are none', () => {
  it('go on to the agent', async () => {
    const { gateway, adapter, store, woken } = await open({ decideByText: async () => undefined })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '允许的话，不要动 SKU234 那一行' }))
    await settle()
    expect(adapter.said()).toEqual([])
    expect(await waitingMessages(store.db, session)).toHaveLength(1)
    expect(woken).toEqual([session])
  })

  it('are still the command that they are', async () => {
    const decisionText = (): boolean => true
    const { gateway, adapter } = await open({ decisionText, decideByText: async () => undefined })
    await gateway.receive(messageEvent({ mentionsBot: true, text: '/help SKU234' }))
    await settle()
    expect(adapter.said()).toEqual(['command.help'])
  })
})

describe('a click', () => {
  it('is answered by what decides it, and never stored', async () => {
    const { gateway, store } = await open()
    const receipt = await gateway.receive({
      type: 'action',
      address: group,
      eventId: 'ev_1',
      operator: person('feishu:ou_1'),
      value: {},
      form: {},
      sentAt: 1,
    })
    expect(receipt).toEqual({ toast: { tone: 'info', text: 'seen' } })
    expect(await store.db.selectFrom('inbox').selectAll().execute()).toEqual([])
  })
})
