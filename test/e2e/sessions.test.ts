import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Endpoint, type Reply, startEndpoint, type Turn } from './support/endpoint.ts'
import { openFeishuHouse } from './support/feishu-house.ts'
import type { House } from './support/house.ts'
import { openWecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 300_000 })

let house: House
let endpoint: Endpoint | undefined
afterEach(async () => {
  await house?.stop()
  await endpoint?.stop()
  endpoint = undefined
})

const HOUSES = { feishu: openFeishuHouse, wecom: openWecomHouse }
const CHATS = 50

const finals = (count: number, chatId?: string): Promise<unknown> =>
  house.until(
    () => house.finals(chatId).length >= count,
    `${count} answers in ${chatId ?? 'the group'}`,
    120_000,
  )
const cardIn = (chatId?: string) =>
  house.until(() => house.shown(chatId).find((message) => message.buttons.includes('允许')), 'the card')
const said = (turn: Turn): string => turn.said.join('\n')

describe.each(['feishu', 'wecom'] as const)('sessions on %s', (platform) => {
  it('two people in two groups at once: files, answers and approvals never cross', async () => {
    house = await HOUSES[platform]()
    const { admin, member, other } = house.people
    const chats = [
      { chatId: house.addGroup('甲组', [admin, member]), from: member },
      { chatId: house.addGroup('乙组', [admin, other]), from: other },
    ]
    await Promise.all(
      chats.map(({ chatId, from }) =>
        house.say('列出工作目录里的文件，然后写一份 report.md 发给我', { chatId, from }),
      ),
    )
    for (const { chatId } of chats) await finals(1, chatId)
    await Promise.all(
      chats.map(({ chatId, from }) => house.say(`运行 echo ${from.name} > owner.txt`, { chatId, from })),
    )
    const cards = await Promise.all(chats.map(({ chatId }) => cardIn(chatId)))
    for (const [index, { from }] of chats.entries()) expect(cards[index]?.text).toContain(from.name)
    // Only the second group's approval is given; the first group's command must not run by it.
    await house.press(cards[1]?.id ?? '', '允许', admin)
    await finals(2, chats[1]?.chatId)
    expect(house.finals(chats[0]?.chatId)).toHaveLength(1)
    await house.press(cards[0]?.id ?? '', '拒绝', admin)
    await finals(2, chats[0]?.chatId)

    for (const { chatId, from } of chats) {
      const stranger = from === member ? other : member
      const texts = house.shown(chatId).map((message) => message.text)
      expect(texts.join('\n')).not.toContain(stranger.name)
      expect(house.shown(chatId).filter((message) => message.file)).toHaveLength(1)
      await house.say('列出工作目录里的文件', { chatId, from })
      await finals(3, chatId)
    }
    expect(house.finals(chats[0]?.chatId).at(-1)?.text).not.toContain('owner.txt')
    expect(house.finals(chats[1]?.chatId).at(-1)?.text).toContain('owner.txt')
  })

  it('R25: fifty chats at once are all answered, each in its own order', async () => {
    endpoint = await startEndpoint('openai', (turn) => ({
      text: [`答：${/第\d+群 第\d题/g.exec(turn.said.at(-1) ?? '')?.[0] ?? ''}`],
    }))
    house = await HOUSES[platform]({ yaml: endpoint.yaml })
    const groups = Array.from({ length: CHATS }, (_, index) =>
      house.addGroup(`第${index}群`, [house.people.member]),
    )
    const ask = (round: number) =>
      Promise.all(groups.map((chatId, index) => house.say(`第${index}群 第${round}题`, { chatId })))
    await ask(1)
    for (const chatId of groups) await finals(1, chatId)
    await ask(2)
    for (const chatId of groups) await finals(2, chatId)
    for (const [index, chatId] of groups.entries()) {
      const answers = house.finals(chatId).map((message) => /第\d+群 第\d题/.exec(message.text)?.[0])
      expect(answers).toEqual([`第${index}群 第1题`, `第${index}群 第2题`])
    }
  })

  it('a message sent during a run is seen at the next step', async () => {
    const first = Promise.withResolvers<void>()
    const script = (turn: Turn): Reply => {
      if (turn.results.length > 0 || said(turn).includes('改成乙方案'))
        return { text: [said(turn).includes('改成乙方案') ? '按乙方案做了。' : '按甲方案做了。'] }
      return { text: gated(first.promise), calls: [{ name: 'glob', args: { pattern: '*' } }] }
    }
    endpoint = await startEndpoint('openai', script)
    house = await HOUSES[platform]({ yaml: endpoint.yaml })
    await house.say('按甲方案做')
    await house.until(() => endpoint?.turns.length === 1, 'the first request')
    await house.say('改成乙方案')
    await inboxHolds(1)
    first.resolve()
    await finals(1)
    expect(house.finals()[0]?.text).toContain('按乙方案做了')
    expect(await house.runs()).toHaveLength(1)
  })

  it('messages sent while an approval waits are answered afterwards', async () => {
    house = await HOUSES[platform]()
    await house.say('运行 echo x >> count.txt')
    const card = await cardIn()
    await house.say('列出工作目录里的文件')
    await inboxHolds(1)
    await house.press(card.id, '允许', house.people.admin)
    await house.until(
      () => house.finals().find((message) => /工作目录里的文件：\s*```\ncount\.txt/.test(message.text)),
      'the answer to what was said meanwhile',
    )
    expect(house.timesRun()).toBe(1)
  })

  it('/stop during a run ends it, and the next message is answered', async () => {
    endpoint = await startEndpoint('openai', (turn) => ({
      text: turn.said.at(-1)?.includes('再来') ? ['来了。'] : endless(),
    }))
    house = await HOUSES[platform]({ yaml: endpoint.yaml })
    await house.say('慢慢写')
    await house.until(() => house.shown().find((message) => message.text.includes('开头')), 'the first words')
    await house.say('/stop')
    await house.until(() => house.shown().find((message) => message.text.includes('好，停下了')), 'the reply')
    await finals(1)
    expect(house.finals()[0]?.text).toContain('已停止')
    await house.say('再来')
    await house.until(() => house.finals().find((message) => message.text.includes('来了。')), 'the answer')
  })

  it('/stop during an approval cancels it: its click runs nothing', async () => {
    house = await HOUSES[platform]()
    await house.say('运行 echo x >> count.txt')
    const card = await cardIn()
    await house.say('/stop')
    await finals(1)
    expect(house.finals()[0]?.text).toContain('已停止')
    await Promise.resolve()
      .then(() => house.press(card.id, '允许', house.people.admin))
      .catch(() => 'no button left')
    expect((await house.runs()).map((run) => run.state)).toEqual(['stopped'])
    expect(house.timesRun()).toBe(0)
  })

  it('/new forgets the conversation and keeps the files', async () => {
    endpoint = await startEndpoint('openai', (turn) => ({ text: [`听到 ${turn.said.length} 句。`] }))
    house = await HOUSES[platform]({ yaml: endpoint.yaml })
    await house.say('第一句')
    await finals(1)
    await house.say('第二句')
    await finals(2)
    expect(house.finals()[1]?.text).toContain('听到 2 句')
    await house.say('/new')
    await house.until(() => house.shown().find((message) => message.text.includes('新会话')), 'the reply')
    await house.say('第三句')
    await finals(3)
    expect(house.finals()[2]?.text).toContain('听到 1 句')
  })
})

/** Waits until so many messages are stored and not yet taken by a run. */
async function inboxHolds(count: number): Promise<void> {
  for (;;) {
    const rows = await house.app.store.db
      .selectFrom('inbox')
      .select('id')
      .where('state', '=', 'waiting')
      .where('kind', '=', 'message')
      .execute()
    if (rows.length === count) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function* gated(gate: Promise<void>): AsyncIterable<string> {
  yield '先看看。'
  await gate
}

async function* endless(): AsyncIterable<string> {
  yield '开头。'
  await new Promise(() => {})
}
