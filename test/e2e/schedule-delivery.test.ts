import { afterEach, describe, expect, it } from 'vitest'
import type { RequestFault } from '../../adapters/feishu/simulator/control.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { type FeishuCompany, openFeishuCompany } from './support/feishu-company.ts'
import { type House, openHouse } from './support/house.ts'

let stop: (() => Promise<void>) | undefined
afterEach(() => stop?.())

const TEST_MS = 120_000
const SEND = 'POST /open-apis/im/v1/messages'
const RESULT = '工作目录是空的'

interface Setup {
  readonly house: House<FeishuCompany>
  readonly target: string
  readonly direct: string
  /** Results in the target chat. */
  results(): string[]
  /** Says a command in the administrator's direct chat and resolves with the answer that has `mark`. */
  command(words: string, mark: string): Promise<string>
}

/** A schedule of the configuration into a group of its own; the administrator sits in a direct chat. */
async function open(): Promise<Setup> {
  const clock = createSystemClock()
  const company = await openFeishuCompany(clock)
  const { admin } = company.people
  const target = company.addGroup('财务群', [admin])
  const direct = company.direct(admin)
  const house = await openHouse(company, clock, {
    yaml: `
schedules:
  - id: daily
    cron: "0 9 * * 1-5"
    to: { bot: ops, chat: "${target}" }
    prompt: 看看工作目录里有哪些文件
    owner: "${admin.key}"
`,
  })
  stop = house.stop
  const said = (chat: string): string[] => company.shown(chat).map(({ text }) => text)
  const command: Setup['command'] = async (words, mark) => {
    const before = said(direct).length
    await company.say(words, { from: admin, chatId: direct })
    return house.until(
      () =>
        said(direct)
          .slice(before)
          .find((text) => text.includes(mark)),
      `${mark} after ${words}: ${said(direct).slice(before).join(' | ')}`,
      40_000,
    )
  }
  // A first word makes the direct chat known, so that the service can write there by itself.
  await command('列出工作目录里的文件', RESULT)
  return {
    house,
    target,
    direct,
    results: () => said(target).filter((text) => text.includes(RESULT)),
    command,
  }
}

async function historyWith(setup: Setup, mark: string): Promise<string> {
  for (let tries = 0; ; tries++) {
    const history = await setup.command('/schedule history daily', '最近')
    if (history.includes(mark) || tries > 20) return history
  }
}

describe('a platform that fails first', () => {
  const cases: readonly { name: string; fault: RequestFault }[] = [
    { name: 'a rate limit', fault: { route: SEND, status: 400, code: 99991400, times: 2 } },
    { name: 'a token that has expired', fault: { route: SEND, status: 400, code: 99991663, times: 1 } },
    { name: 'two answers of 502', fault: { route: SEND, status: 502, break: 'html', times: 2 } },
    {
      name: 'a connection that breaks after the message was taken',
      fault: { route: SEND, break: 'drop_after' },
    },
  ]
  it.each(cases)(
    '$name: the result arrives once, and only then does the history say delivered',
    async ({ fault }) => {
      const setup = await open()
      setup.house.simulator.control.faults.onRequest(fault)
      await setup.command('/schedule run daily', '马上执行')
      await setup.house.until(() => setup.results()[0], 'the result', 60_000)
      const history = await historyWith(setup, '已送达')
      expect(history).toContain('已送达')
      expect(history).toContain('om_')
      expect(setup.results()).toHaveLength(1)
    },
    TEST_MS,
  )

  it(
    'a bot that was removed without a word: failed, paused, and the administrator is told',
    async () => {
      const setup = await open()
      setup.house.simulator.control.faults.onDelivery({
        eventType: 'im.chat.member.bot.deleted_v1',
        effect: 'lose',
      })
      setup.house.simulator.control.removeBot(setup.target, setup.house.bot.appId)
      await setup.command('/schedule run daily', '马上执行')
      const told = await setup.house.until(
        () => setup.house.shown(setup.direct).find(({ text }) => text.includes('已暂停')),
        'the word to the administrator',
        30_000,
      )
      expect(told.text).toContain('没有送到')
      expect(told.text).toContain('/schedule resume daily')
      const history = await historyWith(setup, '失败')
      expect(history).toContain('feishu.bot_not_in_chat')
      expect(history).not.toContain('已送达')
      await setup.command('/schedule', '已暂停')
      expect(setup.results()).toEqual([])
    },
    TEST_MS,
  )

  it(
    'a bot whose removal was told: the run does not even begin',
    async () => {
      const setup = await open()
      const { control } = setup.house.simulator
      control.removeBot(setup.target, setup.house.bot.appId)
      await setup.command('/schedule run daily', '马上执行')
      const told = await setup.house.until(
        () => setup.house.shown(setup.direct).find(({ text }) => text.includes('已暂停')),
        'the word to the administrator',
        30_000,
      )
      expect(told.text).toContain('没有执行')
      expect(told.text).toContain('机器人已不在会话')
    },
    TEST_MS,
  )
})
