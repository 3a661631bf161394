import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEMO, seedDemo } from '../../../../adapters/wecom/simulator/seed.ts'
import { createWecomSimulator } from '../../../../adapters/wecom/simulator/simulator.ts'
import { startWecomTenant, type WecomTenant } from '../../../../adapters/wecom/simulator/tenant.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { createSeededRandom } from '../../../support/random.ts'
import { api, connect, tokenOf } from './fixture.ts'

const WEDNESDAY = Date.UTC(2026, 0, 7, 6, 0, 0)
const depsAt = (now: number) => ({
  clock: createManualClock(now),
  random: createSeededRandom('demo'),
  logger: createCollectingLogger(),
})

describe('the demo tenant', () => {
  let tenant: WecomTenant
  beforeEach(async () => {
    tenant = await startWecomTenant(depsAt(WEDNESDAY))
  })
  afterEach(() => tenant.stop())

  it('gives a bot that yizhan.yaml would take, and an admin', () => {
    const parsed = configSchema.parse({ bots: [tenant.bot] })
    expect(parsed.bots[0]).toMatchObject({ platform: 'wecom', name: '驿站' })
    expect(tenant.admins).toEqual(['wecom:wangfang'])
  })

  it('shows a finance group with the bot, which can connect', async () => {
    const [finance] = tenant.backend.chats()
    expect(finance).toMatchObject({ title: '报销与财务群', kind: 'group' })
    expect(finance?.members.map((one) => one.role)).toEqual([
      'admin',
      'member',
      'member',
      'member',
      'member',
      'bot',
    ])
    const { aibot } = tenant.bot as { aibot: { wsUrl: string } }
    const client = await connect(aibot.wsUrl)
    const answer = await client.call('aibot_subscribe', { bot_id: DEMO.aibotId, secret: DEMO.aibotSecret })
    expect(answer.errcode).toBe(0)
  })
})

describe('the demo corp', () => {
  it.each([
    ['Wednesday', WEDNESDAY],
    ['Monday, five minutes past midnight in Shanghai', Date.UTC(2026, 0, 4, 16, 5, 0)],
    ['Sunday evening', Date.UTC(2026, 0, 11, 14, 0, 0)],
  ])('files reimbursements of this week in several states: %s', async (_name, now) => {
    const deps = depsAt(now)
    const sim = await createWecomSimulator(deps)
    seedDemo(sim.control, now)
    const token = await tokenOf(sim, DEMO.appSecret)
    const monday = Date.UTC(2026, 0, 4, 16) / 1000
    const body = {
      starttime: String(monday),
      endtime: String(Math.floor(now / 1000)),
      new_cursor: '',
      size: 100,
    }
    const list = await api(sim, `oa/getapprovalinfo?access_token=${token}`, body)
    expect(list.sp_no_list).toHaveLength(8)
    const states = list.sp_no_list.map((spNo: string) => sim.control.approvals.status(spNo))
    expect(states).toEqual([10, 2, 2, 3, 4, 1, 1, 1])
    expect(sim.control.approvals.waitingFor(DEMO.admin)).toHaveLength(2)
    expect(sim.control.approvals.waitingFor('lisi')).toHaveLength(1)
    await sim.stop()
  })
})
