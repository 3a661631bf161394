import { describe, expect, it } from 'vitest'
import type { Card } from '../../../src/protocol/card.ts'
import { connectedStage, createStage, groupAddress, sendOptions } from './stage.ts'

describe('webhook mode', () => {
  it('feishu 15: the console can save the address', async () => {
    await using stage = await createStage({ transport: 'webhook' })
    await expect(stage.control.verifyWebhook(stage.app.appId)).resolves.toMatchObject({ ok: true })
  })

  it('takes events', async () => {
    await using stage = await connectedStage({ transport: 'webhook' })
    stage.control.say(stage.group, stage.people.li, '@[驿站] 你好')
    await stage.received(1)
    await stage.control.idle()
    expect(stage.message().text).toBe('你好')
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([{ outcome: 'ok', status: 200 }])
  })

  it('answers a click in the same request with a toast and the decided card', async () => {
    await using stage = await connectedStage({ transport: 'webhook' })
    const card: Card = {
      title: '命令审批',
      tone: 'warning',
      summary: '审批',
      cardId: 'a1',
      blocks: [{ type: 'code', text: 'make build' }],
      select: {
        name: 'scope',
        label: '范围',
        options: [{ value: 'once', text: '仅此一次' }],
        initial: 'once',
      },
      buttons: [{ text: '允许', style: 'primary', value: { id: 'a1', decision: 'allow' } }],
    }
    const sent = await stage.adapter.send(groupAddress(stage), { type: 'card', card }, sendOptions())
    stage.onEvent = async () => ({
      toast: { tone: 'success', text: '已允许' },
      card: {
        title: '命令审批',
        tone: 'success',
        summary: '已允许',
        cardId: 'a1',
        blocks: card.blocks,
        buttons: [],
      },
    })
    const outcome = await stage.control.click({
      userId: stage.people.han,
      messageId: sent.messageId,
      on: '允许',
      form: { scope: 'once' },
    })
    expect(outcome.toast).toEqual({ type: 'success', content: '已允许' })
    expect(outcome.card).toMatchObject({ schema: '2.0', header: { template: 'green' } })
    expect(stage.events).toMatchObject([
      {
        type: 'action',
        messageId: sent.messageId,
        value: { id: 'a1', decision: 'allow' },
        form: { scope: 'once' },
        operator: {
          user: `feishu:${stage.control.openId(stage.people.han, stage.app.appId)}`,
          isExternal: false,
        },
      },
    ])
  })

  it('feishu 14: a request signed with another key is refused, counted as failed, and says why in the log', async () => {
    await using stage = await connectedStage({
      transport: 'webhook',
      config: { encryptKey: 'another key' },
    })
    stage.control.say(stage.group, stage.people.li, '@[驿站] 你好')
    await stage.control.idle()
    expect(stage.events).toEqual([])
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([
      { outcome: 'failed', status: 401 },
    ])
    expect(stage.lines).toContainEqual(
      expect.objectContaining({
        message: 'feishu webhook refused',
        fields: expect.objectContaining({ reason: 'signature does not match the body' }),
      }),
    )
  })

  it('feishu 14: another verification token is refused', async () => {
    await using stage = await connectedStage({
      transport: 'webhook',
      config: { verificationToken: 'another token' },
    })
    stage.control.say(stage.group, stage.people.li, '@[驿站] 你好')
    await stage.control.idle()
    expect(stage.events).toEqual([])
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([
      { outcome: 'failed', status: 401 },
    ])
  })

  it('W16: the previous key is good while it is configured', async () => {
    await using stage = await connectedStage({
      transport: 'webhook',
      config: { encryptKey: 'new key', previousEncryptKey: 'encrypt key' },
    })
    stage.control.say(stage.group, stage.people.li, '@[驿站] 你好')
    await stage.received(1)
  })

  it('W18: a failing receive is a 500 and the event comes again', async () => {
    await using stage = await connectedStage({ transport: 'webhook' })
    stage.onEvent = () => Promise.reject(new Error('database is away'))
    stage.control.say(stage.group, stage.people.li, '@[驿站] 再来')
    await stage.control.idle()
    stage.onEvent = () => Promise.resolve({})
    await stage.clock.advance(15_000)
    await stage.received(2)
    await stage.control.idle()
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([
      { outcome: 'failed', status: 500 },
      { outcome: 'ok', status: 200 },
    ])
  })

  it('W1: cannot be built without both keys', async () => {
    await using stage = await createStage({ transport: 'webhook' })
    for (const change of [{ encryptKey: undefined }, { verificationToken: undefined }]) {
      expect(() => stage.sibling(change)).toThrow(
        expect.objectContaining({ code: 'feishu.webhook_without_keys' }),
      )
    }
  })
})
