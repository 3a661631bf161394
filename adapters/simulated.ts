/** The playground's tenants: one simulated company per platform, with people, a group and a bot. */
import type { PlaygroundBackend, SimulatedTenants } from '../src/protocol/playground.ts'
import type { Clock, Logger, Random } from '../src/protocol/ports.ts'
import { createFeishuSimulator } from './feishu/simulator/index.ts'
import { createFeishuPlayground } from './feishu/simulator/playground.ts'
import { startWecomTenant } from './wecom/simulator/tenant.ts'

interface Tenant {
  readonly bot: unknown
  readonly admins: readonly string[]
  readonly backend: PlaygroundBackend
  invite?(): void
  stop(): Promise<void>
}

export interface SimulatedDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** Starts every platform's simulator on a free loopback port. */
export async function startSimulatedTenants(deps: SimulatedDeps): Promise<SimulatedTenants> {
  const tenants: readonly Tenant[] = [await startFeishu(deps), await startWecomTenant(deps)]
  return {
    bots: tenants.map((tenant) => tenant.bot),
    admins: tenants.flatMap((tenant) => tenant.admins),
    backends: tenants.map((tenant) => tenant.backend),
    invite: () => {
      for (const tenant of tenants) tenant.invite?.()
    },
    stop: async () => {
      await Promise.all(tenants.map((tenant) => tenant.stop()))
    },
  }
}

async function startFeishu(deps: SimulatedDeps): Promise<Tenant> {
  const { url, control, stop } = await createFeishuSimulator(deps)
  const app = control.createApp({ name: '驿站' })
  const [admin, ...others] = ['王芳', '张三', '李四'].map((name) => control.createUser({ name }))
  if (!admin) throw new Error('the simulated company has nobody')
  const members = [admin, ...others].map((user) => user.userId)
  const groups = ['驿站体验群', '运维值班群'].map((name) => control.createChat({ name, members, bots: [] }))
  control.openDirect(admin.userId, app.appId)
  return {
    bot: {
      id: 'feishu',
      platform: 'feishu',
      appId: app.appId,
      appSecret: app.appSecret,
      domain: url,
      transport: 'websocket',
      answerAll: false,
    },
    admins: [`feishu:${control.openId(admin.userId, app.appId)}`],
    backend: createFeishuPlayground({ control, botId: 'feishu', appId: app.appId, admins: [admin.userId] }),
    invite: () => {
      for (const chatId of groups) control.addBot(chatId, app.appId, admin.userId)
    },
    stop,
  }
}
