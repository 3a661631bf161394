import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: FeishuHouse
afterEach(() => house?.stop())

const finals = (chatId?: string) =>
  house.answers(chatId).filter((message) => /已完成|已停止|未完成/.test(message.text))

describe('the main job on Feishu', () => {
  it('lists files, writes report.md and sends it into the same chat', async () => {
    house = await openFeishuHouse()
    house.ask('列出工作目录里的文件，然后写一份 report.md 发给我')
    const file = await house.until(
      () => house.answers().find((message) => message.type === 'file'),
      'the file',
    )
    expect(file.text).toContain('report.md')
    const final = await house.until(() => finals()[0], 'the answer')
    expect(final.text).toContain('report.md')
    expect(final.card?.streaming).toBe(false)
    const bytes = house.control.fileBytes(file.fileKeys[0] ?? '')
    expect(Buffer.from(bytes?.bytes ?? []).toString()).toContain('工作目录报告')
  })

  it('asks before a command: a stranger is refused, an approver decides, it runs once, the answer follows in the same card', async () => {
    house = await openFeishuHouse()
    house.ask('运行 uname -a')
    const card = await house.until(
      () => house.answers().find((message) => message.text.includes('允许')),
      'the approval card',
    )
    expect(card.text).toContain('uname -a')

    const refused = await house.control.click({
      userId: house.people.other.userId,
      messageId: card.messageId,
      on: '允许',
    })
    expect(refused.toast?.type).toBe('error')
    expect(refused.card).toBeUndefined()

    const allowed = await house.control.click({
      userId: house.people.admin.userId,
      messageId: card.messageId,
      on: '允许',
    })
    expect(allowed.toast?.type).toBe('success')
    const answered = await house.until(
      () =>
        house
          .answers()
          .find(
            (message) =>
              message.messageId === card.messageId &&
              message.text.includes('Linux') &&
              message.text.includes('已完成'),
          ),
      'the answer in the card',
    )
    expect(answered.text).toContain('处理人')
    const again = await house.control
      .click({ userId: house.people.admin.userId, messageId: card.messageId, on: '允许' })
      .catch((error: Error) => error)
    expect(again).toBeInstanceOf(Error)
    const [first] = house.answers()
    expect(first?.text).toContain('已继续，见下方')
    expect(house.answers()).toHaveLength(2)
  })
})
