import { afterEach, describe, expect, it } from 'vitest'
import { createShiftedClock } from '../support/shifted-clock.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'
import { openHouse } from './support/house.ts'

let stop: (() => Promise<void>) | undefined
afterEach(() => stop?.())

/** The start of the service lies before the minute; when it is slow, the next minute is as good. */
const BEFORE_NINE = Date.parse('2026-12-01T08:59:53+08:00')
const A_MINUTE_AND_MORE = 90_000
const TEST_MS = 150_000

const isWelcome = (text: string): boolean => text.includes('大家好')

describe('a schedule of the configuration', () => {
  it(
    'runs at its time and sends only the final message into the chat',
    async () => {
      const clock = createShiftedClock(BEFORE_NINE)
      const company = await openFeishuCompany(clock)
      const house = await openHouse(company, clock, {
        yaml: `
schedules:
  - id: minutely
    cron: "* * * * *"
    to: { bot: ops, chat: "${company.chatId}" }
    prompt: 看看工作目录里有哪些文件
    owner: "${company.people.admin.key}"
`,
      })
      stop = house.stop
      const results = () => company.shown().filter(({ text }) => !isWelcome(text))
      const answer = await house.until(() => results()[0], 'the result', A_MINUTE_AND_MORE)
      expect(answer.text).toContain('工作目录是空的')
      expect(answer.text).not.toContain('正在')
      expect(results()).toHaveLength(1)
    },
    TEST_MS,
  )
})

describe('a schedule made in chat', () => {
  const SENTENCE = '每个工作日早上九点把昨天的销售额发到本群'

  async function confirmed(house: FeishuHouse): Promise<string> {
    const { member, other } = house.people
    house.ask(SENTENCE)
    const card = await house.until(
      () => house.answers().find(({ text }) => text.includes('新建定时任务')),
      'the card',
    )
    expect(card.text).toContain('0 9 * * 1-5')
    expect(card.text).toContain('仅工作日')
    expect(card.text).toContain('把昨天的销售额发到本群')
    expect(card.text).toContain('张三')
    const refused = await house.control.click({
      userId: other.userId,
      messageId: card.messageId,
      on: '确认',
    })
    expect(refused.toast).toMatchObject({ type: 'error' })
    const done = await house.control.click({ userId: member.userId, messageId: card.messageId, on: '确认' })
    expect(done.toast).toMatchObject({ type: 'success' })
    return /定时任务 (\w+) 已保存/.exec(done.toast?.content ?? '')?.[1] ?? ''
  }

  const answerTo = (house: FeishuHouse, words: string, mark: string): Promise<{ text: string }> => {
    const seen = new Set(house.answers().map(({ messageId }) => messageId))
    house.ask(words)
    return house.until(
      () => house.answers().find((one) => !seen.has(one.messageId) && one.text.includes(mark)),
      `an answer to ${words} with ${mark}`,
      30_000,
    )
  }

  it(
    'is saved only by a click, then listed, run, looked at and paused',
    async () => {
      const house = await openFeishuHouse({}, createShiftedClock(Date.parse('2026-12-01T10:00:00+08:00')))
      stop = house.stop
      const id = await confirmed(house)
      expect(id).not.toBe('')

      const list = await answerTo(house, '/schedule', '共 1 个定时任务')
      expect(list.text).toContain(id)
      expect(list.text).toContain('2026-12-02 09:00')

      const result = await answerTo(house, `/计划 run ${id}`, '没有接入销售数据')
      expect(result.text).not.toContain('已完成')
      const history = await answerTo(house, `/schedule history ${id}`, '已送达')
      expect(history.text).toContain('手动')
      expect(history.text).toContain('om_')

      await answerTo(house, `/schedule edit ${id} cron="0 25 * * *"`, '写得不对')
      await answerTo(house, `/schedule edit ${id} timezone=Asia/Shangai`, '没有“Asia/Shangai”这个时区')
      await answerTo(
        house,
        `/schedule edit ${id} cron="30 8 * * 1-5" prompt="看看工作目录里有哪些文件"`,
        '2026-12-02 08:30',
      )
      const preview = await answerTo(house, `/schedule preview ${id}`, '工作目录是空的')
      expect(preview.text).toContain('工作目录是空的')
      await answerTo(house, `/schedule pause ${id}`, '已暂停')
      await answerTo(house, '/schedule', '有人手动暂停')
      await answerTo(house, `/schedule resume ${id}`, '已恢复')
      await answerTo(house, `/schedule delete ${id}`, '已删除')
      await answerTo(house, '/schedule', '还没有定时任务')
    },
    TEST_MS,
  )
})
