import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Endpoint, type Reply, startEndpoint, type Turn } from './support/endpoint.ts'
import { openWecomHouse, type WecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: WecomHouse
let endpoint: Endpoint | undefined
afterEach(async () => {
  await house?.stop()
  await endpoint?.stop()
})

const HOUSES = [
  { platform: 'all', bot: 'groupCards: all', hasCard: true },
  { platform: 'reply-only', bot: 'groupCards: reply', hasCard: true },
  { platform: 'none', bot: 'groupCards: reply', hasCard: false },
  { platform: 'none', bot: 'groupCards: none', hasCard: false },
] as const

const codeIn = (text: string): string => /允许 ([A-Z0-9]{6})/.exec(text)?.[1] ?? ''

describe('the main job on WeCom', () => {
  it('a mention is answered by one stream, the report comes back into the group as a file', async () => {
    house = await openWecomHouse()
    await house.say('列出工作目录里的文件，然后写一份 report.md 发给我')
    const file = await house.until(() => house.shown().find((message) => message.file), 'the file')
    expect(file.file?.name).toBe('report.md')
    expect(file.file?.bytes.toString()).toContain('工作目录报告')
    const final = await house.until(() => house.finals()[0], 'the answer')
    expect(final.text).toContain('report.md')
    expect(house.finals()).toHaveLength(1)
  })

  it('“本周有哪些待审批的报销？” lists the forms, then shows one in detail', async () => {
    house = await openWecomHouse()
    await house.say('本周有哪些待审批的报销？', { from: house.people.admin })
    const final = await house.until(() => house.finals()[0], 'the answer')
    const calls = house.control
      .journal()
      .filter(({ channel }) => channel === 'http-in')
      .map(({ name }) => name)
    expect(calls).toContain('oa/getapprovalinfo')
    expect(calls).toContain('oa/getapprovaldetail')
    expect(final.text).toMatch(/\d{12}/)
    expect(final.text).toContain('报销')
    expect(final.text).toContain('审批中')
  })

  describe.each(HOUSES)('groups take cards: $platform, $bot', ({ platform, bot, hasCard }) => {
    it.runIf(hasCard)(
      'wecom 14: a command waits for a card, the click changes it at once, the result is a new message',
      async () => {
        house = await openWecomHouse({ settings: { groupCards: platform }, bot })
        await house.say('运行 uname -a')
        const card = await house.until(
          () => house.shown().find((message) => message.buttons.includes('允许')),
          'the card',
        )
        expect(card.text).toContain('uname -a')
        expect(await house.press(card.id, '允许', house.people.admin)).toBe('changed')
        const decided = house.shown().find((message) => message.id === card.id)
        expect(decided?.text).toContain('已允许')
        expect(decided?.text).toContain('王芳')
        expect(decided?.buttons).not.toContain('允许')
        const final = await house.until(() => house.finals()[0], 'the result')
        expect(final.id).not.toBe(card.id)
        expect(final.text).toContain('Linux')
      },
    )

    it.runIf(!hasCard)('wecom 18: without cards the approval is reached by its text code', async () => {
      house = await openWecomHouse({ settings: { groupCards: platform }, bot })
      await house.say('运行 uname -a')
      const words = await house.until(
        () => house.shown().find((message) => codeIn(message.text) !== ''),
        'the approval in words',
      )
      expect(words.text).toContain('uname -a')
      expect(words.buttons).toEqual([])
      expect(house.shown().filter((message) => codeIn(message.text) !== '')).toHaveLength(1)
      const code = codeIn(words.text)
      await house.say(`允许 ${code}`, { from: house.people.other })
      await house.until(
        () => house.shown().find((message) => message.text.includes('不在这个请求的审批人名单里')),
        'the refusal',
      )
      await house.say(`允许 ${code}`, { from: house.people.admin })
      const final = await house.until(() => house.finals()[0], 'the result')
      expect(final.text).toContain('Linux')
    })
  })

  it('wecom 22: a file that a person sent comes back as the very bytes, under its Chinese name', async () => {
    const sendBack = ({ said, results }: Turn): Reply => {
      const path = /inbox\/\S+\/季度 报表\.csv/.exec(said.at(-1) ?? '')?.[0] ?? said.at(-1)
      if (results.length === 0) return { calls: [{ name: 'wecom_send_file', args: { path } }] }
      return { text: ['发回去了：', results[0] ?? ''] }
    }
    endpoint = await startEndpoint('openai', sendBack)
    house = await openWecomHouse({ yaml: endpoint.yaml })
    const bytes = Buffer.from('季度,金额\r\n一季度,1200\r\n', 'utf8')
    const chat = house.direct(house.people.member)
    await house.control.people.send({ chat, from: 'zhangsan', type: 'file', name: '季度 报表.csv', bytes })
    const back = await house.until(() => house.shown(chat).find((message) => message.file), 'the file')
    expect(back.file).toEqual({ name: '季度 报表.csv', bytes })
    expect((await house.until(() => house.finals(chat)[0], 'the answer')).text).toContain('发回去了')
  })
})
