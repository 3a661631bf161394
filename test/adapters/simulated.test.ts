import { describe, expect, it } from 'vitest'
import { startSimulatedTenants } from '../../adapters/simulated.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createCollectingLogger } from '../support/logger.ts'

describe('the simulated companies', () => {
  it('have their groups with the bot once it is invited, and tell the bot of it only then', async () => {
    const clock = createSystemClock()
    const tenants = await startSimulatedTenants({
      ...{ clock, random: createSystemRandom(), logger: createCollectingLogger() },
    })
    const [feishu] = tenants.backends
    const told = (): number =>
      feishu?.traffic().filter(({ title }) => title === 'im.chat.member.bot.added_v1').length ?? 0
    try {
      expect(told()).toBe(0)
      tenants.invite()
      const groups = feishu?.chats().filter(({ kind }) => kind === 'group')
      expect(groups?.map(({ title }) => title)).toEqual(['驿站体验群', '运维值班群'])
      await expect.poll(told).toBe(2)
    } finally {
      await tenants.stop()
    }
  })
})
