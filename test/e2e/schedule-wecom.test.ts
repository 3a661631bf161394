import { afterEach, describe, expect, it } from 'vitest'
import { openWecomHouse } from './support/wecom-house.ts'

let stop: (() => Promise<void>) | undefined
afterEach(() => stop?.())

const SENTENCE = '每个工作日早上九点把使用情况报表发到本群'

describe('a schedule made in a WeCom group', () => {
  it('is confirmed on the card that answers the request', async () => {
    const house = await openWecomHouse()
    stop = house.stop
    await house.say(SENTENCE)
    const card = await house.until(
      () => house.shown().find((one) => one.buttons.includes('确认')),
      'the card with its buttons',
    )
    await house.press(card.id, '确认', house.people.member)
    await house.say('/计划')
    await house.until(() => house.shown().find(({ text }) => text.includes('生效中')), 'the list')
  })

  it('is confirmed with words where groups take no cards', async () => {
    const house = await openWecomHouse({ settings: { groupCards: 'none' } })
    stop = house.stop
    await house.say(SENTENCE)
    await house.until(
      () => house.shown().find(({ text }) => text.includes('/计划 确认')),
      'the card in words',
    )
    await house.say('/计划 确认')
    const saved = await house.until(
      () => house.shown().find(({ text }) => text.includes('已保存')),
      'the confirmation',
    )
    expect(saved.text).toContain('定时任务')
    await house.say('/计划 确认')
    await house.until(() => house.shown().find(({ text }) => text.includes('没有等待确认')), 'nothing left')
  })
})
