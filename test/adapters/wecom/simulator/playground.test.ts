import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWecomPlayground } from '../../../../adapters/wecom/simulator/playground.ts'
import type { PlaygroundBackend, PlaygroundChange } from '../../../../src/protocol/playground.ts'
import {
  APP,
  BOT,
  BOT_NAME,
  buttonCard,
  cardBody,
  type Fixture,
  GROUP,
  PNG,
  type RawClient,
  startCorp,
  streamBody,
  subscribed,
} from './fixture.ts'

describe('the playground backend', () => {
  let sim: Fixture
  let client: RawClient
  let backend: PlaygroundBackend
  const send = (text: string, personId = 'zhangsan') =>
    backend.act({ type: 'send', chatId: GROUP, personId, text: [{ at: BOT }, ` ${text}`] })
  const lastContent = () => backend.messages(GROUP).at(-1)?.content
  const reply = async (body: object) =>
    client.call('aibot_respond_msg', body, (await client.next()).headers.req_id)

  beforeEach(async () => {
    sim = await startCorp()
    client = await subscribed(sim)
    const { control } = sim
    backend = createWecomPlayground({
      control,
      botId: 'oa',
      aibotId: BOT,
      agentId: APP.agentId,
      admins: ['lisi'],
    })
  })
  afterEach(() => sim.stop())

  it('lists groups with people first, and single chats once opened, under the ids the adapter uses', async () => {
    expect(backend.chats()).toMatchObject([
      {
        id: GROUP,
        title: '运维群',
        kind: 'group',
        botId: 'oa',
        members: [
          { id: 'zhangsan', name: '张三', role: 'member' },
          { id: 'LiSi', name: '李四', role: 'admin' },
          { id: 'wangwu', name: '王五', role: 'member' },
          { id: 'woLZguest', name: '外部客人', role: 'member' },
          { id: BOT, name: BOT_NAME, role: 'bot' },
        ],
      },
    ])
    expect(await backend.act({ type: 'direct', chatId: GROUP, personId: 'LiSi' })).toEqual({ chatId: 'LiSi' })
    expect((await client.next()).body.event.eventtype).toBe('enter_chat')
    expect(backend.chats().at(-1)).toMatchObject({ id: 'LiSi', kind: 'direct', title: `李四 · ${BOT_NAME}` })
    await backend.act({ type: 'send', chatId: 'LiSi', personId: 'LiSi', text: ['你好'] })
    expect((await client.next()).body).toMatchObject({ chattype: 'single', text: { content: '你好' } })
    expect(backend.messages('LiSi')).toMatchObject([
      { chatId: 'LiSi', content: { type: 'text', text: '你好' } },
    ])
  })

  it('sends mentions as the client writes them, and shows them back', async () => {
    const { messageId } = await send('查账单')
    expect((await client.next()).body.text.content).toBe(`@${BOT_NAME} 查账单`)
    expect(backend.messages(GROUP)).toMatchObject([
      {
        id: messageId,
        from: { id: 'zhangsan', role: 'member' },
        mentions: [BOT_NAME],
        streaming: false,
        recalled: false,
      },
    ])
  })

  it('shows a stream growing, with its thinking folded away', async () => {
    await send('想想')
    const reqId = (await client.next()).headers.req_id
    await client.call('aibot_respond_msg', streamBody('s', '<think></think>'), reqId)
    expect(backend.messages(GROUP).at(-1)).toMatchObject({
      streaming: true,
      content: { type: 'markdown', text: '思考中…' },
    })
    await client.call('aibot_respond_msg', streamBody('s', '<think>先看账</think>好了', true), reqId)
    expect(backend.messages(GROUP).at(-1)).toMatchObject({
      streaming: false,
      quote: { from: '张三', text: `@${BOT_NAME} 想想` },
      content: {
        type: 'card',
        card: {
          blocks: [
            {
              type: 'panel',
              title: '已深度思考',
              open: false,
              blocks: [{ type: 'markdown', text: '先看账' }],
            },
            { type: 'markdown', text: '好了' },
          ],
        },
      },
    })
  })

  it('paints a card, presses its button with the choices, and tells what the client shows', async () => {
    const option_list = [
      { id: 'once', text: '仅此次' },
      { id: 'always', text: '总是' },
    ]
    const button_selection = { question_key: 'scope', title: '范围', option_list, selected_id: 'once' }
    const rows = {
      sub_title_text: 'rm -rf build',
      horizontal_content_list: [{ keyname: '目录', value: '/srv' }],
    }
    await send('删除')
    await reply(cardBody({ ...buttonCard('t1'), ...rows, button_selection }))
    const message = backend.messages(GROUP).at(-1)
    expect(message?.content).toEqual({
      type: 'card',
      card: {
        header: { title: '执行命令需要确认', subtitle: '会话 deploy-42', color: 'none', tags: [] },
        blocks: [
          { type: 'plain', text: 'rm -rf build' },
          { type: 'fields', fields: [{ name: '目录', value: '/srv' }] },
          {
            type: 'select',
            name: 'scope',
            label: '范围',
            options: [
              { value: 'once', text: '仅此次' },
              { value: 'always', text: '总是' },
            ],
            initial: 'once',
            disabled: false,
          },
          {
            type: 'buttons',
            buttons: [
              { id: 'approve', text: '允许', style: 'primary', disabled: false },
              { id: 'deny', text: '拒绝', style: 'danger', disabled: false },
            ],
          },
        ],
      },
    })
    const press = (personId: string) =>
      backend.act({
        type: 'press',
        chatId: GROUP,
        personId,
        messageId: message?.id ?? '',
        buttonId: 'approve',
        form: { scope: 'always' },
      })
    const update = async (title: string, userids?: string[]) => {
      const event = await client.next()
      const body = {
        response_type: 'update_template_card',
        template_card: buttonCard('t1', title),
        ...(userids ? { userids } : {}),
      }
      await client.call('aibot_respond_update_msg', body, event.headers.req_id)
      return event.body.event.template_card_event
    }
    const refused = press('wangwu')
    expect(
      (await update('您无权审批', ['wangwu'])).selected_items.selected_item[0].option_ids.option_id,
    ).toEqual(['always'])
    expect(await refused).toEqual({ toast: { tone: 'info', text: '您无权审批' } })
    expect(lastContent()).toMatchObject({ card: { header: { title: '执行命令需要确认' } } })
    const allowed = press('LiSi')
    await update('李四已允许')
    expect(await allowed).toEqual({})
    expect(lastContent()).toMatchObject({ card: { header: { title: '李四已允许' } } })
  })

  it('is silent about a press that the bot answered in the chat', async () => {
    await send('删除')
    await reply(cardBody(buttonCard('t1')))
    const messageId = backend.messages(GROUP).at(-1)?.id ?? ''
    const action = { chatId: GROUP, personId: 'wangwu', messageId, buttonId: 'deny', form: {} }
    const pressed = backend.act({ type: 'press', ...action })
    await client.next()
    await client.call('aibot_send_msg', {
      chatid: GROUP,
      chat_type: 2,
      msgtype: 'markdown',
      markdown: { content: '王五：你不在名单里。' },
    })
    await sim.clock.advance(5000)
    expect(await pressed).toEqual({})
  })

  it('says when nobody answers a press, and when nobody is there', async () => {
    await send('删除')
    await reply(cardBody(buttonCard('t1')))
    const messageId = backend.messages(GROUP).at(-1)?.id ?? ''
    const press = () =>
      backend.act({ type: 'press', chatId: GROUP, personId: 'LiSi', messageId, buttonId: 'deny', form: {} })
    const unanswered = press()
    await client.next()
    await sim.clock.advance(5000)
    expect(await unanswered).toEqual({ toast: { tone: 'warning', text: '机器人没有回应' } })
    client.close()
    await sim.control.until(() => !sim.control.corp.online(BOT))
    expect(await press()).toEqual({ toast: { tone: 'error', text: '机器人不在线' } })
    await expect(
      backend.act({ type: 'press', chatId: GROUP, personId: 'LiSi', messageId, buttonId: 'gone', form: {} }),
    ).rejects.toMatchObject({ code: 'playground.refused' })
  })

  it('keeps uploaded files, takes back an own message for two minutes, and hides heartbeats', async () => {
    const upload = { type: 'upload' as const, chatId: GROUP, personId: 'zhangsan', bytes: PNG }
    const { messageId = '' } = await backend.act({ ...upload, name: '发票.pdf' })
    await backend.act({ ...upload, name: '截图.PNG' })
    expect(backend.messages(GROUP).map((one) => one.content)).toEqual([
      { type: 'file', file: { id: `${messageId}:0`, name: '发票.pdf', bytes: PNG.length } },
      { type: 'image', file: { id: expect.stringMatching(/:0$/), name: '截图.PNG', bytes: PNG.length } },
    ])
    expect(backend.file(`${messageId}:0`)).toMatchObject({ name: '发票.pdf', bytes: PNG })
    const recall = (personId: string) => backend.act({ type: 'recall', chatId: GROUP, personId, messageId })
    await expect(recall('LiSi')).rejects.toMatchObject({ code: 'playground.refused' })
    await recall('zhangsan')
    expect(backend.messages(GROUP)[0]).toMatchObject({ recalled: true, content: { type: 'notice' } })
    await client.call('ping')
    expect(backend.traffic().map((entry) => entry.title)).toEqual(['aibot_subscribe'])
  })

  it('tells of new and changed messages, of groups and of traffic', async () => {
    const changes: PlaygroundChange[] = []
    const stop = backend.onChange((change) => changes.push(change))
    await send('你好')
    await reply(streamBody('s', '好', true))
    const seen = changes.flatMap((change) => (change.type === 'message' ? [change.message.content] : []))
    expect(seen).toEqual([
      { type: 'text', text: `@${BOT_NAME} 你好` },
      { type: 'markdown', text: '好' },
    ])
    expect(changes.some((change) => change.type === 'traffic')).toBe(true)
    sim.control.corp.group({ chatId: 'wrkNew', name: '新群', members: ['LiSi'], bots: [BOT] })
    expect(changes.at(-1)).toEqual({ type: 'chats' })
    stop()
    const count = changes.length
    await send('再见')
    expect(changes).toHaveLength(count)
  })
})
