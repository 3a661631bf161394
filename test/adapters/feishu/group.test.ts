import { describe, expect, it } from 'vitest'
import { connectedStage, createStage, until } from './stage.ts'

describe('who is spoken to in a group', () => {
  it('feishu 16: only a mention of this bot counts', async () => {
    await using stage = await connectedStage()
    const { control, group, people, app } = stage
    const other = control.createApp({ name: '别的机器人' })
    control.addBot(group, other.appId)
    control.updateApp(app.appId, { scopes: ['im:message', 'im:message.group_msg', 'im:chat:readonly'] })
    await control.idle()
    stage.events.length = 0
    control.say(group, people.li, '没有提到谁')
    control.say(group, people.li, '@[别的机器人] 你来')
    control.say(group, people.li, '@[所有人] 开会')
    control.say(group, people.li, '@[驿站] 你来')
    await stage.received(4)
    const heard = stage.events.map((event) =>
      event.type === 'message' ? [event.text, event.mentionsBot, event.mentionsAll] : event.type,
    )
    expect(heard.sort()).toEqual(
      [
        ['没有提到谁', false, false],
        ['@别的机器人 你来', false, false],
        ['@所有人 开会', false, true],
        ['你来', true, false],
      ].sort(),
    )
  })

  it('feishu 16: @all is for the bot when the setting says so', async () => {
    await using stage = await connectedStage({ config: { answerAll: true } })
    stage.control.say(stage.group, stage.people.li, '@[所有人] 开会')
    await stage.received(1)
    expect(stage.message()).toMatchObject({ mentionsBot: true, mentionsAll: true })
  })

  it('feishu 16: a direct chat needs no mention', async () => {
    await using stage = await connectedStage()
    const direct = stage.control.openDirect(stage.people.li, stage.app.appId)
    stage.control.say(direct, stage.people.li, '你好')
    await stage.received(1)
    expect(stage.message()).toMatchObject({
      address: { chatType: 'direct' },
      text: '你好',
      mentionsBot: false,
    })
  })

  it('feishu 17: a command behind the mention is a command, and others keep their names', async () => {
    await using stage = await connectedStage()
    stage.control.say(stage.group, stage.people.li, '@[驿站] /assign @[韩梅梅] 明天')
    await stage.received(1)
    expect(stage.message().text).toBe('/assign @韩梅梅 明天')
  })

  it('C21: people of another company are external', async () => {
    await using stage = await connectedStage()
    const { control, group } = stage
    const guest = control.createUser({ name: '客户', tenantKey: control.createTenant('别的公司') }).userId
    control.addMember(group, guest)
    control.say(group, guest, '@[驿站] 你好')
    await stage.received(1)
    expect(stage.message().sender).toMatchObject({ isExternal: true, isBot: false })
  })

  it('tells when the bot comes, goes, and when the group ends', async () => {
    await using stage = await connectedStage()
    const { control, group, people, app } = stage
    control.removeBot(group, app.appId, people.li)
    await stage.received(1)
    control.addBot(group, app.appId, people.li)
    await stage.received(2)
    control.disband(group, people.li)
    await stage.received(3)
    expect(stage.events.map((event) => event.type)).toEqual(['bot_removed', 'bot_added', 'chat_disbanded'])
  })

  it('before it knows who it is, a message is left for the next delivery', async () => {
    await using stage = await createStage()
    const { control, clock } = stage
    control.faults.onRequest({ route: 'GET /open-apis/bot/v3/info', break: 'drop_before', times: 99 })
    await stage.start()
    expect(stage.adapter.status().state).toBe('connected')
    control.say(stage.group, stage.people.li, '@[驿站] 在')
    await control.idle()
    expect(control.deliveries('im.message.receive_v1')).toMatchObject([{ outcome: 'failed' }])
    control.faults.clear()
    await clock.advance(15_000)
    await until(() => stage.events.some((event) => event.type === 'message'))
    expect(stage.message()).toMatchObject({ text: '在', mentionsBot: true })
  })
})
