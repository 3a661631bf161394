import { afterEach, describe, expect, it } from 'vitest'
import { createShiftedClock, type ShiftedClock } from '../support/shifted-clock.ts'
import { type FeishuCompany, openFeishuCompany } from './support/feishu-company.ts'
import { type House, openHouse } from './support/house.ts'

let stop: (() => Promise<void>) | undefined
afterEach(() => stop?.())

const TEST_MS = 120_000
/** Three o'clock in the morning in Shanghai, on a Tuesday. */
const NIGHT = Date.parse('2026-12-01T03:00:00+08:00')
/** Within this time whatever became due is found. */
const SWEEP_MS = 10_000
const MORNING = Date.parse('2026-12-01T09:00:01+08:00')

interface Night {
  readonly house: House<FeishuCompany>
  readonly clock: ShiftedClock
  /** What stands in the destination's chat, except for the welcome. */
  shown(): { text: string; messageId: string }[]
  run(): Promise<void>
}

/** A schedule whose prompt needs a command, run by hand from the administrator's direct chat. */
async function night(policy: string): Promise<Night> {
  const clock = createShiftedClock(NIGHT)
  const company = await openFeishuCompany(clock)
  const { admin } = company.people
  const target = company.addGroup('值班群', [admin])
  const direct = company.direct(admin)
  const house = await openHouse(company, clock, {
    yaml: `
schedules:
  - id: nightly
    cron: "0 3 * * *"
    to: { bot: ops, chat: "${target}" }
    prompt: 运行 uname -s
    owner: "${admin.key}"
    ${policy}
`,
  })
  stop = house.stop
  return {
    house,
    clock,
    shown: () =>
      house.simulator.control
        .transcript(target)
        .filter(({ sender, text }) => sender.kind === 'bot' && !text.includes('大家好')),
    run: async () => void (await company.say('/schedule run nightly', { from: admin, chatId: direct })),
  }
}

describe('a command that needs an approval at three in the morning', () => {
  it(
    'skip: nothing runs, nobody is asked, and the result says so',
    async () => {
      const { house, shown, run } = await night('approvals: skip')
      await run()
      const answer = await house.until(() => shown()[0], 'the result', 30_000)
      expect(answer.text).toContain('有一步需要审批')
      expect(answer.text).toContain('uname -s')
      expect(answer.text).not.toContain('Linux')
      expect(shown()).toHaveLength(1)
      const rows = await house.app.store.db.selectFrom('approvals').selectAll().execute()
      expect(rows).toEqual([])
    },
    TEST_MS,
  )

  it(
    'pre-approved: exactly this command runs without anybody, until its last day',
    async () => {
      const { house, shown, run } = await night('preapproved: [{ command: "uname -s", until: 2026-12-01 }]')
      await run()
      const answer = await house.until(() => shown()[0], 'the result', 30_000)
      expect(answer.text).toContain('Linux')
      expect(shown()).toHaveLength(1)
    },
    TEST_MS,
  )

  it.each([
    ['another command', 'uname -a', '2026-12-31'],
    ['a day that is over', 'uname -s', '2026-11-30'],
  ])(
    'pre-approved for %s: it is skipped',
    async (_name, command, until) => {
      const { house, shown, run } = await night(`preapproved: [{ command: "${command}", until: ${until} }]`)
      await run()
      const answer = await house.until(() => shown()[0], 'the result', 30_000)
      expect(answer.text).toContain('有一步需要审批')
      expect(answer.text).not.toContain('Linux')
    },
    TEST_MS,
  )

  it(
    'wait: the run sleeps, the card comes in working hours, and the click lets it go on',
    async () => {
      const { house, clock, shown, run } = await night('approvals: wait')
      await run()
      const asleep = async (): Promise<number> =>
        (
          await house.app.store.db
            .selectFrom('sessions')
            .select('wait_until')
            .where('id', '=', 'schedule:nightly')
            .executeTakeFirst()
        )?.wait_until ?? 0
      await expect.poll(asleep, { timeout: 20_000 }).toBe(Date.parse('2026-12-01T09:00:00+08:00'))
      expect(shown()).toEqual([])

      clock.jumpTo(MORNING)
      clock.leap(SWEEP_MS)
      const card = await house.until(
        () => shown().find(({ text }) => text.includes('允许')),
        'the card in the morning',
        40_000,
      )
      expect(card.text).toContain('uname -s')
      const { control } = house.simulator
      const receipt = await control.click({
        userId: house.people.admin.id,
        messageId: card.messageId,
        on: '允许',
      })
      expect(receipt.toast).toMatchObject({ type: 'success' })
      const answer = await house.until(
        () => shown().find(({ text }) => text.includes('Linux')),
        'the result',
        40_000,
      )
      expect(answer.messageId).not.toBe(card.messageId)
      expect(shown().find(({ messageId }) => messageId === card.messageId)?.text).toContain('处理人')
    },
    TEST_MS,
  )
})
