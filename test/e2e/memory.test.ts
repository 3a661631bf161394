import { afterEach, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

let house: FeishuHouse
afterEach(() => house?.stop())

const answered = (chatId: string | undefined, words: string) =>
  house.answers(chatId).find((message) => message.text.includes(words) && /已完成|未完成/.test(message.text))

describe('memory on Feishu', () => {
  it('T1/T4: what one chat remembers, another cannot recall, list or erase; its own members can', async () => {
    house = await openFeishuHouse()
    const { control, people, bot } = house
    const otherChat = control.createChat({
      name: '另一个群',
      members: [people.admin.userId, people.member.userId],
      bots: [bot.appId],
    })
    house.ask('记住：报销系统负责人是张三丰')
    await house.until(() => answered(undefined, '记住了'), 'the note that it is remembered')

    house.ask('还记得负责人吗？')
    const recalled = await house.until(() => answered(undefined, '我记得的是'), 'what is recalled')
    expect(recalled.text).toContain('张三丰')

    house.ask('还记得负责人吗？', { chatId: otherChat })
    const elsewhere = await house.until(() => answered(otherChat, '这里没有记过'), 'the answer elsewhere')
    expect(elsewhere.text).not.toContain('张三丰')

    house.ask('/memory')
    const list = await house.until(
      () => house.answers().find((message) => message.text.includes('这里一共记了')),
      'the list',
    )
    const id = /([a-z2-7]{8})/.exec(list.text)?.[1] ?? ''
    expect(list.text).toContain('报销系统负责人')

    house.ask(`/memory forget ${id}`, { chatId: otherChat })
    const refused = await house.until(
      () => house.answers(otherChat).find((message) => message.text.includes('没有编号为')),
      'the refusal elsewhere',
    )
    expect(refused.text).toContain(id)

    house.ask(`/记忆 删除 ${id}`)
    await house.until(() => house.answers().find((message) => message.text.includes('已删除')), 'the erasure')
    house.ask('/memory')
    await house.until(
      () => house.answers().find((message) => message.text.includes('还没有记住任何内容')),
      'the empty list',
    )
  }, 60_000)
})
