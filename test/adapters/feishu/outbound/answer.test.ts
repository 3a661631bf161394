import { describe, expect, it } from 'vitest'
import { connectedStage, groupAddress, sendOptions } from '../stage.ts'

describe('where an answer goes', () => {
  it('feishu 18: a quoted message in a group is answered by reply, and no topic opens', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const first = control.say(group, people.han, '昨天的数据')
    control.say(group, people.li, '@[驿站] 看看这个', { replyTo: first })
    await stage.received(1)
    const event = stage.message()
    expect(event.quoted).toEqual({ messageId: first })
    const sent = await stage.adapter.send(
      event.address,
      { type: 'markdown', markdown: '**好**', replyTo: event.replyTo },
      sendOptions(),
    )
    const shown = control.message(sent.messageId)
    expect(shown).toMatchObject({ parentId: event.messageId, type: 'interactive' })
    expect(shown?.threadId).toBeUndefined()
  })

  it('feishu 18: a topic is answered inside the topic', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const first = control.say(group, people.han, '发布')
    control.say(group, people.li, '@[驿站] 进度？', { replyTo: first, inTopic: true })
    await stage.received(1)
    const { address, replyTo, messageId } = stage.message()
    expect(address.threadId).toMatch(/^omt_/)
    const sent = await stage.adapter.send(address, { type: 'text', text: '一半', replyTo }, sendOptions())
    expect(control.message(sent.messageId)).toMatchObject({ threadId: address.threadId, parentId: messageId })
  })

  it('R1: a key longer than Feishu takes is sent once as well, alone and as an answer', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    control.say(group, people.li, '@[驿站] 进度？')
    await stage.received(1)
    const { replyTo } = stage.message()
    for (const answer of [{}, { replyTo }]) {
      const key = `alert-${'k'.repeat(80)}-${Object.keys(answer).length}`
      const send = (name: string) =>
        stage.adapter.send(groupAddress(stage), { type: 'text', text: name, ...answer }, sendOptions({ key }))
      const first = await send('一次')
      expect((await send('一次')).messageId).toBe(first.messageId)
      const other = sendOptions({ key: `${key}x` })
      const second = await stage.adapter.send(groupAddress(stage), { type: 'text', text: '另' }, other)
      expect(second.messageId).not.toBe(first.messageId)
    }
  })

  it('R24: when the message to answer is gone, the chat gets the answer', async () => {
    await using stage = await connectedStage()
    const { control, group, people } = stage
    const asked = control.say(group, people.li, '@[驿站] 算了')
    await stage.received(1)
    control.recall(asked, people.li)
    const sent = await stage.adapter.send(
      groupAddress(stage),
      { type: 'text', text: '结果', replyTo: asked },
      sendOptions(),
    )
    expect(control.message(sent.messageId)).toMatchObject({ chatId: group, text: '结果' })
    expect(control.message(sent.messageId)?.parentId).toBeUndefined()
  })

  it('feishu 18: in a topic the answer stays there even when the message to answer is gone', async () => {
    await using stage = await connectedStage({
      app: {
        scopes: [
          'im:message',
          'im:message.group_msg',
          'im:message.group_at_msg:readonly',
          'im:chat:readonly',
        ],
      },
    })
    const { control, group, people } = stage
    const first = control.say(group, people.han, '@[驿站] 发布')
    const asked = control.say(group, people.li, '@[驿站] 进度？', { replyTo: first, inTopic: true })
    await stage.received(2)
    const { address } = stage.message()
    control.recall(asked, people.li)
    const sent = await stage.adapter.send(
      address,
      { type: 'text', text: '一半', replyTo: asked },
      sendOptions(),
    )
    expect(control.message(sent.messageId)?.threadId).toBe(address.threadId)
  })
})

describe('what an answer looks like', () => {
  it('C14: agent text mentions nobody, as card or as text', async () => {
    await using stage = await connectedStage()
    const hostile = '<at id=all></at> <at user_id="all">所有人</at> `<at id=all></at>`'
    const card = await stage.adapter.send(
      groupAddress(stage),
      { type: 'markdown', markdown: hostile },
      sendOptions(),
    )
    const text = await stage.adapter.send(groupAddress(stage), { type: 'text', text: hostile }, sendOptions())
    for (const sent of [card, text]) {
      const wire = JSON.stringify(stage.control.message(sent.messageId)?.content)
      expect(wire).not.toMatch(/<\s*\/?\s*at\b/)
    }
  })

  it('feishu 22: an answer of the announced size passes as one card', async () => {
    await using stage = await connectedStage()
    const { markdownBytes } = stage.adapter.capabilities
    const line = '结论：**通过**，详见 `report.md`\n'
    const markdown = line.repeat(Math.floor(markdownBytes / Buffer.byteLength(line)))
    const sent = await stage.adapter.send(groupAddress(stage), { type: 'markdown', markdown }, sendOptions())
    expect(stage.control.message(sent.messageId)?.type).toBe('interactive')
  })

  it('feishu 22: what grows beyond a card is still delivered whole, as text', async () => {
    await using stage = await connectedStage()
    const markdown = '<<<<<<<<<<\n'.repeat(1_500)
    const sent = await stage.adapter.send(groupAddress(stage), { type: 'markdown', markdown }, sendOptions())
    expect(stage.control.message(sent.messageId)).toMatchObject({ type: 'text', content: { text: markdown } })
  })

  it('feishu 23: six tables are one card, and nothing is refused on the way', async () => {
    await using stage = await connectedStage()
    const table = (n: number): string => `| 表${n} | b |\n| --- | --- |\n| 1 | 2 |\n`
    const markdown = [1, 2, 3, 4, 5, 6].map(table).join('\n')
    const sent = await stage.adapter.send(groupAddress(stage), { type: 'markdown', markdown }, sendOptions())
    expect(stage.control.message(sent.messageId)?.type).toBe('interactive')
    expect(JSON.stringify(stage.control.message(sent.messageId)?.content)).toContain('表6')
    expect(stage.control.requests('POST /open-apis/im/v1/messages').map((r) => r.code)).toEqual([0])
  })

  it('feishu 23: a refused card is sent again in a simpler form, under the same key', async () => {
    await using stage = await connectedStage()
    stage.control.faults.onRequest({
      route: 'POST /open-apis/im/v1/messages',
      times: 3,
      status: 400,
      code: 230099,
      message: 'Failed to create card content, ext=ErrCode: 11310',
    })
    const sent = await stage.adapter.send(
      groupAddress(stage),
      { type: 'markdown', markdown: '# 结果' },
      sendOptions({ key: 'answer-1' }),
    )
    expect(stage.control.message(sent.messageId)).toMatchObject({ type: 'text', content: { text: '# 结果' } })
    const keys = stage.control.requests('POST /open-apis/im/v1/messages').map((request) => request.body)
    expect(keys).toMatchObject(Array.from({ length: 4 }, () => ({ uuid: 'answer-1' })))
  })
})

describe('tries that may have worked', () => {
  it('R22, feishu 24: the same key makes one message although the first answer was lost', async () => {
    await using stage = await connectedStage()
    stage.control.faults.onRequest({ route: 'POST /open-apis/im/v1/messages', break: 'drop_after' })
    const once = (): Promise<{ messageId: string }> =>
      stage.adapter.send(groupAddress(stage), { type: 'text', text: '唯一' }, sendOptions({ key: 'once' }))
    await expect(once()).rejects.toMatchObject({ code: 'feishu.unreachable', retryable: true })
    const { messageId } = await once()
    const sent = stage.control.transcript(stage.group).filter((message) => message.sender.kind === 'bot')
    expect(sent.map((message) => message.messageId)).toEqual([messageId])
  })

  it.each([
    [230020, 'feishu/chat/'],
    [11232, 'feishu/cli_'],
  ])('R21, feishu 24: %i is retryable and holds the bucket it is about', async (code, bucket) => {
    await using stage = await connectedStage()
    stage.control.faults.onRequest({ route: 'POST /open-apis/im/v1/messages', status: 400, code })
    const sending = stage.adapter.send(groupAddress(stage), { type: 'text', text: '慢' }, sendOptions())
    await expect(sending).rejects.toMatchObject({ code: 'feishu.rate_limited', retryable: true })
    expect(stage.holds).toHaveLength(1)
    expect(stage.holds[0]?.bucket.startsWith(bucket)).toBe(true)
    expect(stage.holds[0]?.ms).toBeGreaterThanOrEqual(1_000)
  })

  it('every call counts against the app, the chat, and what it changes', async () => {
    await using stage = await connectedStage()
    stage.calls.length = 0
    const sent = await stage.adapter.send(
      groupAddress(stage),
      { type: 'markdown', markdown: '一' },
      sendOptions(),
    )
    await stage.adapter.update(sent, groupAddress(stage), { type: 'markdown', markdown: '二' }, sendOptions())
    const { appId } = stage.app
    expect(stage.calls).toEqual([
      [`feishu/${appId}/im.message.create`, `feishu/chat/${stage.group}`],
      [`feishu/${appId}/im.message.patch`, `feishu/message/${sent.messageId}`],
    ])
    expect(stage.control.message(sent.messageId)?.text).toContain('二')
  })

  it('a text can be edited, a file cannot', async () => {
    await using stage = await connectedStage()
    const to = groupAddress(stage)
    const sent = await stage.adapter.send(to, { type: 'text', text: '一' }, sendOptions())
    await stage.adapter.update(sent, to, { type: 'text', text: '二' }, sendOptions())
    expect(stage.control.message(sent.messageId)?.text).toBe('二')
    const file = { messageId: sent.messageId, handle: { mode: 'file' } }
    await expect(
      stage.adapter.update(file, to, { type: 'text', text: '三' }, sendOptions()),
    ).rejects.toMatchObject({
      code: 'feishu.not_updatable',
    })
  })
})

describe('the sign that work has begun', () => {
  it('feishu 33: comes, goes, and starts no loop', async () => {
    await using stage = await connectedStage()
    const messageId = stage.control.say(stage.group, stage.people.li, '@[驿站] 开始')
    await stage.received(1)
    const remove = await stage.adapter.indicate(groupAddress(stage), messageId)
    expect(stage.control.message(messageId)?.reactions).toMatchObject([{ emoji: 'Typing' }])
    await remove()
    expect(stage.control.message(messageId)?.reactions).toEqual([])
    await stage.control.idle()
    expect(stage.events).toHaveLength(1)
  })

  it('feishu 33: never rejects', async () => {
    await using stage = await connectedStage()
    const remove = await stage.adapter.indicate(groupAddress(stage), 'om_gone')
    await expect(remove()).resolves.toBeUndefined()
  })
})
