import { afterEach, describe, expect, it } from 'vitest'
import { createShiftedClock } from '../support/shifted-clock.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { type House, openHouse } from './support/house.ts'

let house: House | undefined
afterEach(() => house?.stop())

/** Half a second before nine o'clock in Shanghai, on Tuesday 1 December 2026. */
const BEFORE_NINE = Date.parse('2026-12-01T08:59:58.500+08:00')

describe('a schedule of the configuration', () => {
  it('runs at its time and sends only the final message into the chat', async () => {
    const clock = createShiftedClock(BEFORE_NINE)
    const company = await openFeishuCompany(clock)
    house = await openHouse(company, clock, {
      yaml: `
schedules:
  - id: daily
    cron: "0 9 * * 1-5"
    to: { bot: ops, chat: "${company.chatId}" }
    prompt: 看看工作目录里有哪些文件
    owner: "${company.people.admin.key}"
`,
    })
    const answer = await house.until(() => company.shown()[0], 'the result')
    expect(answer.text).toContain('No files')
    expect(company.shown()).toHaveLength(1)
  })
})
