import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ClickOutcome } from '../../adapters/feishu/simulator/index.ts'
import type { Person, Shown } from './support/company.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 180_000 })

let house: FeishuHouse
afterEach(() => house?.stop())

const COUNT = '运行 echo x >> count.txt'
const waiting = (): Promise<Shown> =>
  house.until(() => house.shown().find((message) => message.buttons.includes('允许')), 'the card')
const final = (): Promise<Shown> => house.until(() => house.finals()[0], 'the answer')
const click = (messageId: string, from: Person): Promise<ClickOutcome> =>
  house.control.click({ userId: from.id, messageId, on: '允许' })
/** A click of somebody whose card may have lost its buttons meanwhile. */
const tryClick = (messageId: string, from: Person): Promise<ClickOutcome | undefined> =>
  Promise.resolve()
    .then(() => click(messageId, from))
    .catch(() => undefined)
const codeIn = (text: string): string => /允许 ([A-Z0-9]{6})/.exec(text)?.[1] ?? ''

describe('approvals in the group', () => {
  it('feishu 26: a stranger gets a toast, the card stays; five quick clicks of two approvers run it once', async () => {
    house = await openFeishuHouse({
      yaml: ({ people }) => `approval: { approvers: ["${people.admin.key}", "${people.other.key}"] }`,
    })
    await house.say(COUNT)
    const card = await waiting()
    const refused = await click(card.id, house.people.member)
    expect(refused.toast?.type).toBe('error')
    expect(refused.card).toBeUndefined()
    expect((await waiting()).id).toBe(card.id)
    expect(house.timesRun()).toBe(0)

    const { admin, other } = house.people
    const outcomes = await Promise.all(
      [admin, other, admin, other, admin].map((person) => tryClick(card.id, person)),
    )
    const successes = outcomes.filter((outcome) => outcome?.toast?.type === 'success')
    expect(successes).toHaveLength(1)
    const answered = await final()
    expect(answered.text).toMatch(/处理人.*(王芳|李四)/s)
    expect(answered.buttons).toEqual([])
    expect(house.timesRun()).toBe(1)
    expect(await house.runs()).toHaveLength(1)
  })

  it('feishu 27: a click is answered at once while thirty other chats work, with a card of the same schema', async () => {
    house = await openFeishuHouse()
    await house.say('运行 uname -a')
    const card = await waiting()
    const groups = Array.from({ length: 30 }, (_, index) =>
      house.addGroup(`忙碌群${index}`, [house.people.member]),
    )
    for (const chatId of groups) await house.say('列出工作目录里的文件', { chatId })
    const outcome = await click(card.id, house.people.admin)
    // Past 3 s the client shows its own error number instead.
    expect(outcome.code).toBeUndefined()
    expect(outcome.toast?.type).toBe('success')
    expect(outcome.card).toMatchObject({ schema: '2.0' })
    const answered = await final()
    expect(answered.id).toBe(card.id)
    expect(answered.text).toContain('Linux')
    for (const chatId of groups) await house.until(() => house.finals(chatId)[0], 'a busy chat', 120_000)
  })

  it('R22: what was said while a card waited is answered once, in a message of its own', async () => {
    house = await openFeishuHouse()
    await house.say(COUNT)
    const card = await waiting()
    await house.say('列出工作目录里的文件')
    await house.control.idle()
    await click(card.id, house.people.admin)
    const [decided, own] = await house.until(() => {
      const finals = house.finals()
      return finals.length === 2 ? finals : undefined
    }, 'two answers')
    expect(decided?.id).toBe(card.id)
    expect(decided?.text).not.toContain('count.txt（')
    expect(own?.text).toMatch(/count\.txt/)
    expect(house.timesRun()).toBe(1)
    expect(await house.runs()).toHaveLength(2)
  })

  it('feishu 27: an approval that nobody decides expires, says so in its card, and the model is told', async () => {
    house = await openFeishuHouse({ yaml: 'approval: { expires: 2s }' })
    await house.say(COUNT)
    const card = await waiting()
    const answered = await house.until(() => house.finals()[0], 'the end', 60_000)
    expect(answered.text).toContain('没有人在有效期内批准')
    const expired = await house.until(
      () => house.shown().find((message) => message.id === card.id && message.text.includes('已过期')),
      'the card',
    )
    expect(expired.buttons).toEqual([])
    expect(house.timesRun()).toBe(0)
  })

  it('feishu 27: the card cannot be forwarded, and its code decides nothing in another chat', async () => {
    house = await openFeishuHouse()
    await house.say(COUNT)
    const card = await waiting()
    const { admin } = house.people
    const elsewhere = house.addGroup('别的群', Object.values(house.people))
    expect(() => house.control.forward(card.id, admin.id, elsewhere)).toThrow('cannot be forwarded')
    await house.say(`允许 ${codeIn(card.text)}`, { from: admin, chatId: elsewhere })
    await house.until(
      () => house.shown(elsewhere).find((message) => message.text.includes('不属于当前会话')),
      'the explanation',
    )
    expect(house.timesRun()).toBe(0)
    expect((await click(card.id, admin)).toast?.type).toBe('success')
    await final()
    expect(house.timesRun()).toBe(1)
  })

  it('feishu 27: with its card recalled the approval is still decided by its code', async () => {
    house = await openFeishuHouse()
    await house.say(COUNT)
    const card = await waiting()
    house.control.recall(card.id, house.people.admin.id)
    await house.say(`允许 ${codeIn(card.text)}`, { from: house.people.admin })
    await final()
    expect(house.timesRun()).toBe(1)
    expect(house.finals()).toHaveLength(1)
  })

  it.each(['/new', '/stop', 'recall'])(
    'C8: after %s the card says that it was cancelled, and by whom, and cannot be pressed',
    async (end) => {
      house = await openFeishuHouse()
      const asked = await house.say(COUNT)
      const { id } = await waiting()
      if (end === 'recall') await house.recall(asked, house.people.member)
      else await house.say(end)
      const card = await house.until(
        () => house.shown().find((message) => message.id === id && message.text.includes('已取消')),
        'the card',
        20_000,
      )
      expect(card.text).toMatch(/处理人\s+张三/)
      expect(card.buttons).toEqual([])
      await final()
      expect(house.finals()).toHaveLength(1)
      expect(house.timesRun()).toBe(0)
    },
  )

  it('feishu 32: a stop drains what came, and the restart resumes the pending approval from the store', async () => {
    house = await openFeishuHouse()
    await house.say(COUNT)
    const card = await waiting()
    await house.restart()
    await house.control.idle()
    const late = house.control.deliveries('im.message.receive_v1')
    expect(late.map(({ outcome }) => outcome)).toEqual(['ok'])
    expect((await click(card.id, house.people.admin)).toast?.type).toBe('success')
    await final()
    expect(house.timesRun()).toBe(1)
    expect(house.finals()).toHaveLength(1)
  })
})
