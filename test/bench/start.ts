/** How soon `npm start` is ready, and what it holds when it has nothing to do. */
import { setTimeout as pause } from 'node:timers/promises'
import { startSimulatedTenants } from '../../adapters/simulated.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { residentMb } from './process-stats.ts'
import { atMost, median, type Row } from './row.ts'
import { openTenant, startService } from './servers.ts'

const READY_MS = 1_500
const RESIDENT_MB = 130
const SETTLED_MS = 1_500

export async function measureStart(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 2 : 7
  return [
    ...(await measure('playground', [], rounds)),
    ...(await measureWebhooks(rounds)),
    ...(await measureConnections(rounds)),
  ]
}

async function measure(name: string, bots: readonly unknown[], rounds: number): Promise<Row[]> {
  const ready: number[] = []
  const resident: number[] = []
  for (let i = 0; i < rounds; i++) {
    const service = await startService(bots)
    ready.push(service.readyMs)
    await pause(SETTLED_MS)
    resident.push(residentMb(service.pid))
    await service.stop()
  }
  return [
    atMost(`ready after start (${name})`, median(ready), 'ms', READY_MS),
    atMost(`resident memory, idle (${name})`, median(resident), 'MB', RESIDENT_MB),
  ]
}

/** Both platforms call us. */
async function measureWebhooks(rounds: number): Promise<Row[]> {
  const { keys, simulator, appSecret } = await openTenant()
  const { appId, encryptKey, verificationToken } = keys
  const credentials = { appId, appSecret, domain: simulator.url, encryptKey, verificationToken }
  const aibot = { token: 'bench-token', encodingAesKey: `${'b'.repeat(42)}A` }
  const rows = await measure(
    'webhooks',
    [
      { id: 'feishu', platform: 'feishu', transport: 'webhook', ...credentials },
      { id: 'wecom', platform: 'wecom', aibot },
    ],
    rounds,
  )
  await simulator.stop()
  return rows
}

/** Both platforms at the other end of long connections. */
async function measureConnections(rounds: number): Promise<Row[]> {
  const tenants = await startSimulatedTenants({
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger: createCollectingLogger(),
  })
  const rows = await measure('long connections', tenants.bots, rounds)
  await tenants.stop()
  return rows
}
