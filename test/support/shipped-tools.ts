import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdapter } from '../../adapters/index.ts'
import { createBots } from '../../src/bots.ts'
import { configSchema } from '../../src/config/schema.ts'
import { createFaults } from '../../src/house/faults.ts'
import { buildHouse } from '../../src/house/house.ts'
import { createCallScheduler } from '../../src/outbound/scheduler.ts'
import type { AnyTool } from '../../src/protocol/tool.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { LOAD_TOOLS } from '../../src/tools/shelves.ts'
import { createJobs, workstationTools } from '../../src/tools/workstation/index.ts'
import { createManualClock } from './clock.ts'
import { createCollectingLogger } from './logger.ts'
import { createSeededRandom } from './random.ts'
import { openTestStore } from './store.ts'
import { ZONE } from './zone.ts'

const BOTS = [
  { id: 'a', platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 'x' },
  {
    ...{ id: 'b', platform: 'wecom', aibot: { botId: 'aib', secret: 'x' } },
    app: { corpId: 'ww1234567890abcdef', agentId: 1_000_002, secret: 'x' },
  },
]

/** What an operator turns on for the tools that are off by themselves. */
const SWITCHED_ON = { browser: { enabled: true }, computer: { enabled: true }, video: { enabled: true } }

export interface ShippedTools {
  /** All that sessions of any platform have, in the order of the catalogue. */
  readonly chat: readonly AnyTool[]
  /** The 19, for MCP clients. */
  readonly workstation: readonly AnyTool[]
}

/** The tools of a house with a bot on each platform and everything turned on. Nothing is started. */
export async function shippedTools(): Promise<ShippedTools> {
  const config = configSchema.parse({ bots: BOTS, mcp: { discover: false }, ...SWITCHED_ON })
  const deps = { clock: createManualClock(), random: createSeededRandom(), logger: createCollectingLogger() }
  const store = await openTestStore(mkdtempSync(join(tmpdir(), 'yizhan-tools-')))
  const sandbox = await createSandbox({ ...config.sandbox, kind: 'none' }, deps)
  const bots = createBots(config.bots, {
    ...deps,
    locale: 'zh-CN',
    zone: ZONE,
    scheduler: createCallScheduler(deps.clock),
    create: createAdapter,
    lock: { acquire: async () => true, release: async () => {} },
  })
  const house = buildHouse({
    ...{ config, dataDir: store.dataDir, store, sandbox, bots, owner: 'test', ...deps },
    faults: createFaults(undefined),
  })
  const of = (botId: string, platform: string) =>
    // The way to the shelves is none of the tools; it differs with what lies on them.
    house.tools.forSession({ botId, platform, mayOperate: true }).filter((tool) => tool.name !== LOAD_TOOLS)
  const chat = [...new Set([...of('a', 'feishu'), ...of('b', 'wecom')])]
  const jobs = createJobs({ ...deps, onEnded: async () => {} })
  await sandbox.close()
  await store.close()
  return { chat, workstation: workstationTools({ clock: deps.clock, jobs }) }
}
