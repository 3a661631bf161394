import { afterEach, describe, expect, it, vi } from 'vitest'
import { createShiftedClock } from '../support/shifted-clock.ts'
import type { Shown } from './support/company.ts'
import { openWecomHouse, type WecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: WecomHouse
afterEach(() => house?.stop())

/** By then an approval of a second is found to be over. */
const SWEEP_MS = 11_000
/** How long the long connection waits for an acknowledgement. */
const ACK_MS = 20_000

const COUNT = '运行 echo x >> count.txt'
const waiting = (chatId?: string): Promise<Shown> =>
  house.until(() => house.shown(chatId).find((message) => message.buttons.includes('允许')), 'the card')
const final = (chatId?: string): Promise<Shown> => house.until(() => house.finals(chatId)[0], 'the answer')

describe('approvals on WeCom', () => {
  it('C12: a short command is asked for by its card alone, and nothing that stays in the chat says that it waits', async () => {
    house = await openWecomHouse()
    await house.say('运行 uname -a')
    const card = await waiting()
    expect(card.text).toMatch(/工作区根目录[\s\S]*有效期至/)
    expect(await house.press(card.id, '允许', house.people.admin)).toBe('changed')
    await final()
    const texts = house.shown().map(({ text }) => text)
    expect(texts.filter((text) => text.includes('命令审批'))).toHaveLength(1)
    expect(texts.join('\n')).not.toMatch(/待审批|等待审批|剩余/)
  })

  it('wecom 15: a click of somebody else leaves the request pending and says why', async () => {
    house = await openWecomHouse()
    await house.say(COUNT)
    const card = await waiting()
    expect(await house.press(card.id, '允许', house.people.other)).toBe('unchanged')
    const refusal = await house.until(
      () => house.shown().find((message) => message.text.includes('不在这个请求的审批人名单里')),
      'the refusal',
    )
    expect(refusal.text).toContain(`${house.people.other.name}：`)
    expect(house.timesRun()).toBe(0)
    expect((await waiting()).id).toBe(card.id)
  })

  it('wecom 16: a double click, and a click after the decision, run the command once', async () => {
    house = await openWecomHouse()
    await house.say(COUNT)
    const card = await waiting()
    const { admin } = house.people
    const key = keyOf(card.id)
    const clicks = await Promise.all([1, 2].map(() => clickKey(card.id, admin.id, key)))
    expect(clicks).toContain('updated')
    await final()
    await clickKey(card.id, admin.id, key)
    expect(house.timesRun()).toBe(1)
    expect(house.finals()).toHaveLength(1)
    expect(house.shown().find((message) => message.id === card.id)?.text).toContain('已允许')
  })

  it('wecom 16: a click after the time is over runs nothing and shows the final state', async () => {
    const clock = createShiftedClock()
    house = await openWecomHouse({ yaml: 'approval: { expires: 1s }' }, clock)
    await house.say(COUNT)
    const card = await waiting()
    await expect.poll(async () => (await house.runs()).at(-1)?.state, { timeout: 20_000 }).toBe('suspended')
    clock.leap(SWEEP_MS)
    const answered = await house.until(() => house.finals()[0], 'the end', 60_000)
    expect(answered.text).toContain('没有人在有效期内批准')
    expect(await house.press(card.id, '允许', house.people.admin)).toBe('changed')
    const late = house.shown().find((message) => message.id === card.id)
    expect(late?.text).toContain('已过期')
    expect(house.timesRun()).toBe(0)
  })

  it('wecom 17: of two approvers at once one decides, and the other sees who', async () => {
    house = await openWecomHouse({
      yaml: ({ people }) => `approval: { approvers: ["${people.admin.key}", "${people.other.key}"] }`,
    })
    await house.say(COUNT)
    const card = await waiting()
    const { admin, other } = house.people
    const key = keyOf(card.id)
    await Promise.all([admin, other].map((person) => clickKey(card.id, person.id, key)))
    await final()
    expect(house.timesRun()).toBe(1)
    const rows = await house.app.store.db.selectFrom('approvals').select(['status', 'decided_by']).execute()
    expect(rows).toHaveLength(1)
    const winner = rows[0]?.decided_by === admin.key ? admin : other
    for (const person of [admin, other]) {
      const content = house.control.message(card.id, person.id)?.content
      const seen = content?.type === 'card' ? JSON.stringify(content.card.raw) : ''
      expect(seen).toContain(winner.name)
    }
  })

  it('wecom 18: in a single chat the card comes even where groups take none', async () => {
    house = await openWecomHouse({ settings: { groupCards: 'none' }, bot: 'groupCards: none' })
    const chatId = house.direct(house.people.admin)
    await house.say(COUNT, { chatId, from: house.people.admin })
    const card = await waiting(chatId)
    expect(await house.press(card.id, '允许', house.people.admin)).toBe('changed')
    await final(chatId)
    expect(house.timesRun()).toBe(1)
  })

  it('wecom 24: a lost acknowledgement in the middle of an answer makes no second answer', async () => {
    const clock = createShiftedClock()
    house = await openWecomHouse({}, clock)
    await house.say('你好')
    await final()
    const before = house.shown().length
    house.control.faults.add({ name: 'aibot_respond_msg', effect: 'drop', times: 1 })
    await house.say('列出工作目录里的文件')
    await house.until(() => house.shown()[before], 'the bubble of which nobody hears')
    clock.leap(ACK_MS)
    await house.until(() => house.finals()[1], 'the second answer', 60_000)
    const texts = house.finals().map((message) => message.text)
    expect(texts.filter((text) => text.includes('工作目录是空的'))).toHaveLength(1)
  })

  it('wecom 37: approver rules ignore the case of userids; an encrypted id never matches', async () => {
    house = await openWecomHouse({ yaml: 'approval: { approvers: ["wecom:LiSi", "wecom:woForeign123"] }' })
    house.control.corp.member({
      userid: 'woForeign123',
      name: '外部客户',
      departments: [],
      foreign: 'wwOther',
    })
    const foreign = { id: 'woForeign123', name: '外部客户', key: 'wecom:woForeign123' as const }
    const { admin, member, other } = house.people
    const chatId = house.addGroup('内外群', [admin, member, other, foreign])
    await house.say(COUNT, { chatId })
    const card = await waiting(chatId)
    expect(await house.press(card.id, '允许', foreign)).toBe('unchanged')
    expect(house.timesRun()).toBe(0)
    expect(await house.press(card.id, '允许', other)).toBe('changed')
    await final(chatId)
    expect(house.timesRun()).toBe(1)
  })

  it('wecom 39: stopped in mid-stream, the restart gives one answer and the pending approval still works', async () => {
    house = await openWecomHouse()
    await house.say(COUNT)
    const card = await waiting()
    await house.restart()
    await house.until(() => house.online(), 'the connection')
    expect(await house.press(card.id, '允许', house.people.admin)).toBe('changed')
    await final()
    expect(house.timesRun()).toBe(1)
    expect(house.finals()).toHaveLength(1)
  })
})

function keyOf(messageId: string): string {
  const content = house.control.message(messageId)?.content
  return (content?.type === 'card' && content.card.buttons.find(({ text }) => text === '允许')?.key) || ''
}

/** The outcome, or `gone` when the card had lost its button by then. */
async function clickKey(messageId: string, from: string, key: string): Promise<string> {
  try {
    return (await house.control.people.click({ messageId, from, key })).outcome
  } catch {
    return 'gone'
  }
}
