import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFeishuPlayground } from '../../../../adapters/feishu/simulator/playground.ts'
import type { PlaygroundBackend, PlaygroundChange } from '../../../../src/protocol/playground.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
let playground: PlaygroundBackend

beforeEach(async () => {
  stage = await openStage()
  const { control, app, ann } = stage
  playground = createFeishuPlayground({ control, botId: 'ops', appId: app.appId, admins: [ann] })
})
afterEach(() => stage.close())

const last = () => playground.messages(stage.group).at(-1)

describe('reading', () => {
  it('shows the chats of the bot, people first, the admin marked', () => {
    const { control, app, ann, bo, group } = stage
    const direct = control.openDirect(bo, app.appId)
    control.createChat({ name: 'without the bot', members: [ann] })
    expect(playground.chats()).toEqual([
      {
        id: group,
        title: 'team',
        kind: 'group',
        botId: 'ops',
        closed: false,
        members: [
          { id: ann, name: 'Ann', role: 'admin' },
          { id: bo, name: 'Bo', role: 'member' },
          { id: app.appId, name: 'Agent', role: 'bot' },
        ],
      },
      {
        id: direct,
        title: 'Bo · Agent',
        kind: 'direct',
        botId: 'ops',
        closed: false,
        members: [
          { id: bo, name: 'Bo', role: 'member' },
          { id: app.appId, name: 'Agent', role: 'bot' },
        ],
      },
    ])
  })

  it('a group that was disbanded is closed', () => {
    stage.control.disband(stage.group)
    expect(playground.chats()[0]?.closed).toBe(true)
  })

  it('shows what a bot sends: text, rich text, cards', async () => {
    await stage.send(stage.group, 'text', { text: '早' })
    expect(last()).toMatchObject({
      from: { name: 'Agent', role: 'bot' },
      content: { type: 'text', text: '早' },
    })
    await stage.send(stage.group, 'post', {
      zh_cn: { title: '日报', content: [[{ tag: 'md', text: '- a' }]] },
    })
    expect(last()?.content).toEqual({ type: 'markdown', text: '**日报**\n\n- a' })
    await stage.send(stage.group, 'interactive', { elements: [{ tag: 'hr' }] })
    expect(last()?.content).toEqual({ type: 'card', card: { blocks: [{ type: 'divider' }] } })
  })

  it('shows quotes, reactions and recalls', () => {
    const { control, group, ann, bo } = stage
    const first = control.say(group, ann, '看 @[Bo]')
    control.react(first, bo, 'OK')
    control.say(group, bo, '好', { replyTo: first })
    control.recall(first, ann)
    const [recalled, answer] = playground.messages(group)
    expect(recalled).toMatchObject({ recalled: true, reactions: [{ emoji: 'OK', by: ['Bo'] }] })
    expect(answer?.quote).toMatchObject({ messageId: first, from: 'Ann' })
  })

  it('tells changes as messages, chats and traffic', async () => {
    const changes: PlaygroundChange[] = []
    const stop = playground.onChange((change) => changes.push(change))
    await stage.send(stage.group, 'text', { text: '早' })
    stage.control.createChat({ name: 'new', members: [stage.bo], bots: [stage.app.appId] })
    stop()
    await stage.send(stage.group, 'text', { text: '晚' })
    const told = changes.filter(({ type }) => type !== 'traffic')
    expect(told[0]).toMatchObject({ type: 'message', message: { content: { text: '早' } } })
    expect(told.map(({ type }) => type)).toContain('chats')
    expect(JSON.stringify(changes)).not.toContain('晚')
  })

  it('shows the traffic with its raw JSON, without the app secret', async () => {
    await stage.send(stage.group, 'text', { text: '早' })
    await stage.send('oc_nowhere', 'text', { text: '早' })
    const traffic = playground.traffic().filter(({ title }) => title === 'POST /im/v1/messages')
    expect(traffic).toMatchObject([
      { direction: 'out', ok: true, outcome: '200' },
      { direction: 'out', ok: false },
    ])
    expect(JSON.stringify(traffic[0]?.detail)).toContain('早')
    expect(JSON.stringify(playground.traffic())).not.toContain(stage.app.appSecret)
  })
})

describe('acting', () => {
  it('says something with a mention of the bot and a quote', async () => {
    const { group, ann, app } = stage
    const first = stage.control.say(group, ann, '一')
    const text = [{ at: app.appId }, ' 帮助']
    const { messageId } = await playground.act({
      type: 'send',
      chatId: group,
      personId: ann,
      text,
      quote: first,
    })
    expect(last()).toMatchObject({
      id: messageId,
      content: { type: 'text', text: '@Agent 帮助' },
      mentions: ['Agent'],
      quote: { messageId: first, text: '一' },
    })
  })

  it('uploads a file and gives its bytes back', async () => {
    const bytes = Buffer.from('a,b')
    await playground.act({ type: 'upload', chatId: stage.group, personId: stage.bo, name: '表.csv', bytes })
    const content = last()?.content
    expect(content).toMatchObject({ type: 'file', file: { name: '表.csv', bytes: 3 } })
    const file = playground.file(content?.type === 'file' ? content.file.id : '')
    expect(file && Buffer.from(file.bytes).toString()).toBe('a,b')
    expect(playground.file('none')).toBeUndefined()
  })

  it('recalls, and opens the direct chat with the bot', async () => {
    const { group, ann, app } = stage
    const messageId = stage.control.say(group, ann, '误发')
    await playground.act({ type: 'recall', chatId: group, personId: ann, messageId })
    expect(last()?.recalled).toBe(true)
    const { chatId } = await playground.act({ type: 'direct', chatId: group, personId: ann })
    expect(chatId).toBe(stage.control.openDirect(ann, app.appId))
  })

  it('refuses what the platform refuses, in words', async () => {
    const action = { type: 'send', chatId: stage.group, personId: 'nobody', text: ['x'] } as const
    await expect(playground.act(action)).rejects.toMatchObject({ code: 'playground.refused' })
  })

  it('presses the button that was painted, with what its form holds', async () => {
    const heard: unknown[] = []
    await stage.connect({
      'card.action.trigger': (data) => {
        heard.push(data)
        return { toast: { type: 'success', content: '已允许' } }
      },
    })
    const callback = (op: string) => [{ type: 'callback', value: { op } }]
    const submit = (name: string, op: string) => ({
      tag: 'button',
      name,
      form_action_type: 'submit',
      text: { tag: 'plain_text', content: '同名' },
      behaviors: callback(op),
    })
    const select = {
      tag: 'select_static',
      name: 'scope',
      placeholder: { tag: 'plain_text', content: '范围' },
      options: [{ text: { tag: 'plain_text', content: '一次' }, value: 'once' }],
      initial_option: 'once',
    }
    const elements = [
      { tag: 'form', name: 'form', elements: [select, submit('b0', 'allow'), submit('b1', 'deny')] },
    ]
    await stage.send(stage.group, 'interactive', { schema: '2.0', body: { elements } })
    const shown = last()
    const blocks = shown?.content.type === 'card' ? shown.content.card.blocks : []
    expect(blocks[0]).toMatchObject({ type: 'select', name: 'scope', initial: 'once' })
    const [, , deny] = blocks
    const buttonId = deny?.type === 'buttons' ? (deny.buttons[0]?.id ?? '') : ''
    const outcome = await playground.act({
      type: 'press',
      chatId: stage.group,
      personId: stage.ann,
      messageId: shown?.id ?? '',
      buttonId,
      form: { scope: 'once' },
    })
    expect(outcome).toEqual({ toast: { tone: 'success', text: '已允许' } })
    expect(heard).toMatchObject([{ action: { value: { op: 'deny' }, form_value: { scope: 'once' } } }])
  })

  it('a button that is gone is refused', async () => {
    await stage.send(stage.group, 'interactive', { elements: [{ tag: 'hr' }] })
    const messageId = last()?.id ?? ''
    const action = {
      type: 'press',
      chatId: stage.group,
      personId: stage.ann,
      messageId,
      buttonId: '0',
      form: {},
    } as const
    await expect(playground.act(action)).rejects.toMatchObject({ code: 'playground.gone' })
  })
})
