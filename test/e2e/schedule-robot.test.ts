import { afterEach, describe, expect, it } from 'vitest'
import { DEMO } from '../../adapters/wecom/simulator/seed.ts'
import { openWecomHouse, type WecomHouse } from './support/wecom-house.ts'

let house: WecomHouse | undefined
afterEach(() => house?.stop())

const TEST_MS = 120_000
const RESULT = '工作目录是空的'

/** A schedule into a group by its robot; the administrator asks in a direct chat. */
async function open(): Promise<{
  house: WecomHouse
  results(): string[]
  command(words: string, mark: string): Promise<string>
}> {
  const opened = await openWecomHouse({
    bot: `groupRobots: { finance: ${DEMO.robotKey} }`,
    yaml: `
schedules:
  - id: daily
    cron: "0 9 * * 1-5"
    to: { bot: ops, chat: "robot:finance" }
    prompt: 看看工作目录里有哪些文件
    owner: wecom:wangfang
`,
  })
  house = opened
  const { admin } = opened.people
  const direct = opened.direct(admin)
  const said = (): string[] => opened.shown(direct).map(({ text }) => text)
  const command = async (words: string, mark: string): Promise<string> => {
    const before = said().length
    await opened.say(words, { from: admin, chatId: direct })
    return opened.until(
      () =>
        said()
          .slice(before)
          .find((text) => text.includes(mark)),
      `${mark} after ${words}`,
      40_000,
    )
  }
  await command('列出工作目录里的文件', RESULT)
  return {
    house: opened,
    command,
    results: () =>
      opened.control
        .transcript(DEMO.financeGroup)
        .filter(({ sender }) => sender.type === 'robot')
        .map(({ content }) => JSON.stringify(content)),
  }
}

async function historyWith(
  command: (words: string, mark: string) => Promise<string>,
  mark: string,
): Promise<string> {
  for (let tries = 0; ; tries++) {
    const history = await command('/schedule history daily', '最近')
    if (history.includes(mark) || tries > 20) return history
  }
}

describe('a WeCom group that is reached by its robot', () => {
  it(
    'a busy platform first: the result arrives once, then the history says delivered',
    async () => {
      const { house: it, results, command } = await open()
      it.control.faults.add({ name: 'webhook/send', effect: 'error', errcode: -1 })
      await command('/schedule run daily', '马上执行')
      await it.until(() => results()[0], 'the result', 60_000)
      expect(results()).toHaveLength(1)
      expect(results()[0]).toContain(RESULT)
      expect(await historyWith(command, '已送达')).toContain('已送达')
    },
    TEST_MS,
  )

  it(
    'an answer of 502: WeCom knows no repeated key, so it is not sent again, and the history says that it may have arrived',
    async () => {
      const { house: it, results, command } = await open()
      it.control.faults.add({ name: 'webhook/send', effect: 'status', status: 502 })
      await command('/schedule run daily', '马上执行')
      await it.until(
        () => it.shown(it.direct(it.people.admin)).find(({ text }) => text.includes('不会自动重发')),
        'the word to the administrator',
        40_000,
      )
      const history = await historyWith(command, '不确定是否送达')
      expect(history).toContain('不确定是否送达')
      expect(history).not.toContain('已送达')
      expect(results()).toEqual([])
    },
    TEST_MS,
  )

  it(
    'a robot that was taken out of the group: failed, paused, the administrator is told',
    async () => {
      const { house: it, results, command } = await open()
      it.control.faults.add({ name: 'webhook/send', effect: 'error', errcode: 93008, times: 5 })
      await command('/schedule run daily', '马上执行')
      const told = await it.until(
        () => it.shown(it.direct(it.people.admin)).find(({ text }) => text.includes('没有送到')),
        'the word to the administrator',
        40_000,
      )
      expect(told.text).toContain('已暂停')
      const history = await historyWith(command, '失败')
      expect(history).toContain('wecom.chat_gone')
      expect(results()).toEqual([])
    },
    TEST_MS,
  )
})
