import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

let house: FeishuHouse

/** What is written about background commands, over all sessions. */
function recordsOf(dataDir: string): string[] {
  return globSync(join(dataDir, 'private/*/jobs/*.json')).map((file) => readFileSync(file, 'utf8'))
}
afterEach(() => house?.stop())

const saying = (words: string, what: string) =>
  house.until(() => house.answers().find((message) => message.text.includes(words)), what)

async function approve(): Promise<void> {
  const card = await saying('允许', 'the approval card')
  const click = { userId: house.people.admin.userId, messageId: card.messageId, on: '允许' }
  await house.control.click(click)
}

describe('background commands', () => {
  it('article 25: is approved, answered at once, and reported into the chat when it ends', async () => {
    house = await openFeishuHouse()
    house.ask('在后台运行 sleep 2; echo 构建完成 > done.txt; cat done.txt')
    await approve()
    const started = await saying('已经在后台运行', 'the answer')
    expect(started.text).not.toContain('构建完成\n')
    const report = await saying('结束了', 'the report')
    expect(report.text).toMatch(/构建完成[\s\S]*退出码 0/)
    expect(report.messageId).not.toBe(started.messageId)
  })

  it('S11: end with their chat: the bot is removed, and what ran there is gone', async () => {
    house = await openFeishuHouse()
    house.ask('在后台运行 while :; do date > beat.txt; sleep 0.2; done')
    await approve()
    await saying('已经在后台运行', 'the answer')
    house.control.disband(house.chatId)
    await house.until(
      () => recordsOf(house.dataDir).some((record) => record.includes('with its session')),
      'its end',
    )
    expect(recordsOf(house.dataDir)).toEqual([expect.stringContaining('"how":"aborted"')])
  })

  it('end with the service, and are told so after the next start', async () => {
    house = await openFeishuHouse()
    house.ask('在后台运行 sleep 600')
    await approve()
    await saying('已经在后台运行', 'the answer')
    await house.restart()
    expect(recordsOf(house.dataDir)).toEqual([expect.stringContaining('with the service')])
  })

  it('article 39: /stats shows this chat to its people and everything to an administrator', async () => {
    house = await openFeishuHouse()
    house.ask('列出工作目录里的文件')
    await saying('已完成', 'the answer')
    house.ask('/统计')
    const own = await saying('工具调用统计', 'the statistics')
    expect(own.text).toMatch(/本会话[\s\S]*共 1 次[\s\S]*按工具[\s\S]*按人/)
    expect(own.text).not.toContain('按会话')
    house.ask('/stats', { from: house.people.admin })
    const all = await saying('按会话', 'the statistics of all chats')
    expect(all.text).toContain('全部会话')
  })

  it('article 39: a tool that begins to fail is told to an administrator, in the direct chat', async () => {
    house = await openFeishuHouse({ yaml: 'video: { enabled: true }' })
    const { control, people, bot } = house
    const direct = control.openDirect(people.admin.userId, bot.appId)
    control.say(direct, people.admin.userId, '/状态')
    control.say(direct, people.admin.userId, '你好')
    await house.until(() => house.answers(direct).length > 1, 'the answers to the administrator')
    for (let i = 1; i <= 10; i++) {
      house.ask('调用 video_gen {"prompt":"x"}')
      await house.until(
        () => house.answers().filter((message) => message.text.includes('MiniMax')).length === i,
        `failure ${i}`,
      )
    }
    const alert = await house.until(
      () => house.answers(direct).find((message) => message.text.includes('⚠ 工具 video_gen')),
      'the alert',
    )
    expect(alert.text).toContain('最近 10 次调用失败了 10 次')
    expect(alert.text).toContain('video.apiKey')
  }, 60_000)
})
