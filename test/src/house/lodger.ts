/** A whole house with a clock of its own and a recording platform, on a store that others may share. */
import { createBots } from '../../../src/bots.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { createFaults } from '../../../src/house/faults.ts'
import { buildHouse, type House } from '../../../src/house/house.ts'
import { createCallScheduler } from '../../../src/outbound/scheduler.ts'
import type { Consumer } from '../../../src/queue/queue.ts'
import { createSandbox } from '../../../src/sandbox/index.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'
import { ZONE } from '../../support/zone.ts'

const BOT = { id: 'ops', platform: 'feishu', appId: 'cli_0123456789abcdef', appSecret: 'x' }

export interface Lodger {
  readonly store: Awaited<ReturnType<typeof openTestStore>>
  readonly clock: ManualClock
  readonly adapter: RecordingAdapter
  readonly house: House
  consumer: Consumer | undefined
  close(): Promise<void>
}

export async function moveIn(owner: string, dataDir?: string): Promise<Lodger> {
  const store = await openTestStore(dataDir)
  const clock = createManualClock()
  const deps = { clock, random: createSeededRandom(owner), logger: createCollectingLogger() }
  const config = configSchema.parse({
    ...{ bots: [BOT], mcp: { discover: false }, access: { admins: ['feishu:ou_1'] } },
    workbench: { terminal: true },
  })
  const adapter = createRecordingAdapter({ capabilities: { idempotentSendMs: 0 } })
  const bots = createBots(config.bots, {
    ...deps,
    ...{ locale: 'zh-CN', zone: ZONE, scheduler: createCallScheduler(clock), create: () => adapter },
    lock: { acquire: async () => true, release: async () => {} },
  })
  const sandbox = await createSandbox({ ...config.sandbox, kind: 'none' }, deps)
  const house = buildHouse({
    ...{ config, dataDir: store.dataDir, store, sandbox, bots, owner, demoPieceMs: 0, ...deps },
    faults: createFaults(undefined),
  })
  const lodger: Lodger = {
    ...{ store, clock, adapter, house, consumer: undefined },
    close: async () => {
      if (lodger.consumer) {
        const stopped = house.stop(lodger.consumer, 0)
        await clock.advance(60_000)
        await stopped
      }
      await sandbox.close()
      await store.close()
    },
  }
  return lodger
}
