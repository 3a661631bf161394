/** The playground's WeCom tenant: a simulator, the demo corp in it, and the bot's section of the configuration. */
import type { PlaygroundBackend } from '../../../src/protocol/playground.ts'
import type { SimulatorDeps } from './control.ts'
import { createWecomPlayground } from './playground.ts'
import { DEMO, seedDemo } from './seed.ts'
import { createWecomSimulator } from './simulator.ts'

export interface WecomTenant {
  /** A `platform: wecom` bot as it stands in `yizhan.yaml`. */
  readonly bot: object
  /** `wecom:<userid>`. */
  readonly admins: readonly string[]
  readonly backend: PlaygroundBackend
  stop(): Promise<void>
}

/** Starts on a free loopback port. */
export async function startWecomTenant(deps: SimulatorDeps): Promise<WecomTenant> {
  const { url, wsUrl, control, stop } = await createWecomSimulator(deps)
  seedDemo(control, deps.clock.now())
  const { aibotId, agentId, admin } = DEMO
  const botId = 'wecom'
  return {
    bot: {
      id: botId,
      platform: 'wecom',
      name: DEMO.botName,
      aibot: { botId: aibotId, secret: DEMO.aibotSecret, wsUrl },
      app: { corpId: DEMO.corpId, agentId, secret: DEMO.appSecret, baseUrl: url },
      groupRobots: { finance: DEMO.robotKey },
    },
    admins: [`wecom:${admin}`],
    backend: createWecomPlayground({ control, botId, aibotId, agentId, admins: [admin] }),
    stop,
  }
}
