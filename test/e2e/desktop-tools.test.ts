import { afterEach, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

let house: FeishuHouse
afterEach(() => house?.stop())

const SLOW = 90_000

describe('the virtual desktop in a chat', () => {
  it('asks once, types Chinese into a program, reads it back and sends the picture', async () => {
    house = await openFeishuHouse({ yaml: 'computer: { enabled: true }' })
    house.ask('在虚拟桌面输入 你好，驿站！𠮷野家')
    const card = await house.until(
      () => house.answers().find((message) => message.text.includes('待审批')),
      'the approval card',
      SLOW,
    )
    expect(card.text).toContain('虚拟桌面的操作在本会话中不再逐次询问')
    await house.control.click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
    const answer = await house.until(
      () => house.answers().find((message) => /已完成|未完成/.test(message.text)),
      'the answer',
      SLOW,
    )
    expect(answer.text).toContain('text "你好，驿站！𠮷野家"')
    const picture = house.answers().find((message) => message.type === 'image')
    const png = Buffer.from(house.control.fileBytes(picture?.fileKeys[0] ?? '')?.bytes ?? [])
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1280, 800])
  }, 180_000)
})
