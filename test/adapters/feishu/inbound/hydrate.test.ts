import { describe, expect, it } from 'vitest'
import { connectedStage } from '../stage.ts'

const silence = new AbortController().signal

describe('hydrate', () => {
  it('reads the quoted message with its author’s name', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const first = control.say(group, people.han, '昨天的数据有误')
    control.say(group, people.li, '@[驿站] 改一下', { replyTo: first })
    await stage.received(1)
    const hydrated = await stage.adapter.hydrate(stage.message(), silence)
    expect(hydrated).toMatchObject({
      context: [{ kind: 'quote', from: '韩梅梅', text: '昨天的数据有误' }],
      attachments: [],
      notes: [],
    })
    expect(hydrated.names[stage.message().sender.user]).toBe('李雷')
  })

  it('hands out the file of a quoted message', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const file = control.sendFile(group, people.han, { name: '账单.xlsx', bytes: Buffer.from('x') })
    control.say(group, people.li, '@[驿站] 汇总', { replyTo: file })
    await stage.received(1)
    const hydrated = await stage.adapter.hydrate(stage.message(), silence)
    expect(hydrated.attachments).toMatchObject([
      { kind: 'file', name: '账单.xlsx', handle: { messageId: file } },
    ])
  })

  it('feishu 20: opens a forwarded bundle, nested ones too, and says what cannot be had', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const inner = control.forwardBundle(group, people.han, [
      control.say(group, people.han, '里层'),
      control.sendFile(group, people.han, { name: '附件.zip', bytes: Buffer.from('x') }),
    ])
    const outer = [control.say(group, people.li, '外层'), inner]
    const direct = control.openDirect(people.li, stage.app.appId)
    control.forwardBundle(direct, people.li, outer)
    await stage.received(1)
    const event = stage.message()
    expect(event.bundle).toEqual({ messageId: event.messageId })
    const hydrated = await stage.adapter.hydrate(event, silence)
    expect(hydrated.context).toEqual([
      { kind: 'forward', from: '李雷', text: '外层' },
      { kind: 'forward', from: '韩梅梅', text: '  里层' },
      { kind: 'forward', from: '韩梅梅', text: '  [附件.zip]' },
    ])
    expect(hydrated.attachments).toEqual([])
    expect(hydrated.notes).toEqual([{ key: 'feishu.note.forwarded_files', params: { count: '1' } }])
  })

  it('notes a parent that is gone or cannot be read, and never rejects', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const first = control.say(group, people.han, '撤回我')
    control.say(group, people.li, '@[驿站] 看', { replyTo: first })
    await stage.received(1)
    control.recall(first, people.han)
    const gone = await stage.adapter.hydrate(stage.message(), silence)
    expect(gone.notes).toEqual([{ key: 'feishu.note.gone' }])
    control.faults.onRequest({
      route: 'GET /open-apis/im/v1/messages/:message_id',
      break: 'html',
      times: 2,
      status: 502,
    })
    const failed = await stage.adapter.hydrate(stage.message(), silence)
    expect(failed.notes).toEqual([{ key: 'feishu.note.not_fetched' }])
  })
})
