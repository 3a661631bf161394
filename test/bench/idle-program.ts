/**
 * The real house with a platform that takes everything: so many sessions have talked and are idle, so
 * many wait for an approval. Says as JSON what each of them holds in memory. Wants --expose-gc.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createBots } from '../../src/bots.ts'
import { configSchema } from '../../src/config/schema.ts'
import { createFaults } from '../../src/house/faults.ts'
import { buildHouse } from '../../src/house/house.ts'
import type { Receive } from '../../src/protocol/adapter.ts'
import type { MessageEvent } from '../../src/protocol/inbound.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { openStore } from '../../src/store/store.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createSystemRandom } from '../../src/system/random.ts'
import { createRecordingAdapter } from '../support/recording-adapter.ts'
import { ZONE } from '../support/zone.ts'

const [idle = 0, waiting = 0] = process.argv.slice(2).map(Number)
const WARM_UP = 300
const AT_ONCE = 16

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }
const base = { clock: createSystemClock(), random: createSystemRandom(), logger: silent }
const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-bench-'))
const config = configSchema.parse({
  dataDir,
  bots: [{ id: 'idle', platform: 'feishu', appId: 'cli_0000000000000001', appSecret: 'x' }],
  access: { admins: ['feishu:ou_admin'] },
  models: { default: 'demo', profiles: { demo: { protocol: 'demo' } } },
})
let sent = 0
let receive: Receive | undefined
const adapter = {
  ...createRecordingAdapter({ botId: 'idle' }),
  start: async (given: Receive) => {
    receive = given
  },
  send: async () => ({ messageId: `m${++sent}`, handle: {} }),
  update: async (before: { messageId: string }) => ({ messageId: before.messageId, handle: {} }),
}
const store = await openStore({ dataDir, logger: silent })
const sandbox = await createSandbox(config.sandbox, base)
const lock = { acquire: async () => true, release: async () => {} }
const scheduler = { run: <T>(_request: object, call: () => Promise<T>) => call(), hold: () => {} }
const bots = createBots(config.bots, {
  ...{ ...base, lock, scheduler, locale: config.locale, zone: ZONE },
  create: () => adapter,
})
const house = buildHouse({
  ...{ ...base, config, dataDir, store, sandbox, bots, owner: 'bench', demoPieceMs: 0 },
  faults: createFaults(undefined),
})
const consumer = await house.start(AT_ONCE)

let talked = 0
/** So many new chats say something; resolves when their runs are in that state. */
async function talk(count: number, text: string, state: 'done' | 'suspended'): Promise<void> {
  const before = await countOf(state)
  for (let i = 0; i < count; i++) {
    const number = ++talked
    const event: MessageEvent = {
      ...{ type: 'message', messageId: `om_${number}`, text, mentions: [], mentionsBot: true },
      address: { botId: 'idle', chatId: `oc_${number}`, chatType: 'group' },
      // One person alone may not talk that much.
      sender: { user: `feishu:ou_${number}`, name: '张三', isBot: false, isExternal: false },
      ...{ mentionsAll: false, attachments: [], sentAt: Date.now(), replyTo: `om_${number}` },
    }
    await receive?.(event)
    if (number % 200 === 0) await reached(state, before + i - 200)
  }
  await reached(state, before + count)
}

async function countOf(state: 'done' | 'suspended'): Promise<number> {
  const row = await store.db
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('state', '=', state)
    .executeTakeFirstOrThrow()
  return Number(row.n)
}

async function reached(state: 'done' | 'suspended', count: number): Promise<void> {
  while ((await countOf(state)) < count) await pause(20)
}

interface Held {
  readonly bytes: number
  readonly timers: number
  readonly others: number
}

/** What is held when nothing is going on any more. */
async function held(): Promise<Held> {
  await pause(500)
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.()
    await pause(20)
  }
  const { heapUsed, external } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  const timers = resources.filter((kind) => kind === 'Timeout').length
  return { bytes: heapUsed + external, timers, others: resources.length - timers }
}

await talk(WARM_UP, '你好', 'done')
await talk(WARM_UP / 10, '运行 echo x', 'suspended')
const first = await held()
await talk(idle, '你好', 'done')
const second = await held()
await talk(waiting, '运行 echo x', 'suspended')
const third = await held()
process.stdout.write(
  `${JSON.stringify({
    idleBytes: (second.bytes - first.bytes) / idle,
    waitingBytes: (third.bytes - second.bytes) / waiting,
    timers: third.timers - first.timers,
    others: third.others - first.others,
  })}\n`,
)
await house.stop(consumer, 0)
await sandbox.close()
await store.close()
rmSync(dataDir, { recursive: true, force: true })
process.exit(0)
