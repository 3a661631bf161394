import { createServer, type Server } from 'node:http'
import { createFeishuAdapter } from '../../../adapters/feishu/adapter.ts'
import type { FeishuConfig } from '../../../adapters/feishu/config.ts'
import {
  type AppInfo,
  type AppOptions,
  createFeishuSimulator,
  type FeishuControl,
  type SimulatorSettings,
} from '../../../adapters/feishu/simulator/index.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type {
  Adapter,
  AdapterDeps,
  CallScheduler,
  Receipt,
  SendOptions,
} from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import type { InboundEvent, MessageEvent } from '../../../src/protocol/inbound.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { type CollectedLine, createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { ZONE } from '../../support/zone.ts'

export interface Stage extends AsyncDisposable {
  readonly adapter: Adapter
  readonly control: FeishuControl
  readonly app: AppInfo
  readonly clock: ManualClock
  readonly events: InboundEvent[]
  readonly lines: CollectedLine[]
  /** Buckets that were held, in order. */
  readonly holds: { readonly bucket: string; readonly ms: number }[]
  /** Buckets of every call, in order. */
  readonly calls: (readonly string[])[]
  readonly people: { readonly li: string; readonly han: string }
  readonly group: string
  /** What `receive` answers; may reject or wait. */
  onEvent: (event: InboundEvent) => Promise<Receipt>
  /** Resolves when `count` events have come. */
  received(count: number): Promise<InboundEvent[]>
  /** The newest message event. */
  message(): MessageEvent
  start(): Promise<void>
  /** The same bot in another process: no memory shared, not started. */
  sibling(change?: Partial<FeishuConfig>): Adapter
}

export interface StageOptions {
  readonly transport?: 'websocket' | 'webhook'
  readonly settings?: Partial<SimulatorSettings>
  readonly app?: AppOptions
  readonly config?: Partial<FeishuConfig>
  /** Wraps the scheduler that runs every call at once. */
  readonly schedule?: (scheduler: CallScheduler, clock: ManualClock) => CallScheduler
}

/** A simulator with a group of two people and the bot, and the real adapter connected to it. */
export async function createStage(options: StageOptions = {}): Promise<Stage> {
  const clock = createManualClock()
  const random = createSeededRandom(options.app?.appId ?? 'feishu')
  const logger = createCollectingLogger()
  const simulator = await createFeishuSimulator({
    clock,
    random,
    logger: createCollectingLogger(),
    settings: { rateLimits: false, ...options.settings },
  })
  const { control } = simulator
  const transport = options.transport ?? 'websocket'
  const holder: { adapter?: Adapter } = {}
  const hook = transport === 'webhook' ? await listen(() => holder.adapter) : undefined
  const app = control.createApp({
    name: '驿站',
    eventMode: transport === 'webhook' ? 'webhook' : 'ws',
    ...(hook ? { webhookUrl: hook.url, encryptKey: 'encrypt key' } : {}),
    ...options.app,
  })
  const li = control.createUser({ name: '李雷' }).userId
  const han = control.createUser({ name: '韩梅梅' }).userId
  const group = control.createChat({ name: '运维群', members: [li, han], bots: [app.appId] })
  const { scheduler, holds, calls } = createImmediateScheduler()
  const config: FeishuConfig = {
    id: 'ops',
    appId: app.appId,
    appSecret: app.appSecret,
    domain: simulator.url,
    transport,
    encryptKey: 'encrypt key',
    verificationToken: app.verificationToken,
    answerAll: false,
    ...options.config,
  }
  const deps: AdapterDeps = {
    clock,
    random,
    logger,
    locale: 'zh-CN',
    text: createTranslate('zh-CN'),
    zone: ZONE,
    scheduler: options.schedule?.(scheduler, clock) ?? scheduler,
    lock: createMapLock(),
  }
  const adapter = createFeishuAdapter(config, deps)
  holder.adapter = adapter
  const events: InboundEvent[] = []
  const waiting: { count: number; resolve: (events: InboundEvent[]) => void }[] = []
  const stage: Stage = {
    adapter,
    control,
    app,
    clock,
    events,
    lines: logger.lines,
    holds,
    calls,
    people: { li, han },
    group,
    onEvent: () => Promise.resolve({}),
    received: (count) =>
      events.length >= count
        ? Promise.resolve(events)
        : new Promise((resolve) => waiting.push({ count, resolve })),
    message: () => {
      const found = events.findLast((event) => event.type === 'message')
      if (found?.type !== 'message') throw new Error('no message has come')
      return found
    },
    start: () =>
      adapter.start(async (event) => {
        events.push(event)
        for (const one of waiting) if (events.length >= one.count) one.resolve(events)
        return stage.onEvent(event)
      }),
    sibling: (change) => createFeishuAdapter({ ...config, ...change }, deps),
    [Symbol.asyncDispose]: async () => {
      await adapter.stop()
      await hook?.close()
      await simulator.stop()
    },
  }
  return stage
}

/** A started stage whose join event has been taken, so that `events` begins empty. */
export async function connectedStage(options: StageOptions = {}): Promise<Stage> {
  const stage = await createStage(options)
  await stage.start()
  // The join could not be delivered before the start; its first repetition comes after 15 s.
  await stage.clock.advance(15_000)
  await stage.control.idle()
  stage.events.length = 0
  stage.control.clearJournal()
  return stage
}

export const groupAddress = (stage: Stage): Address => ({
  botId: 'ops',
  chatId: stage.group,
  chatType: 'group',
})

/** Waits for something that happens over loopback in this process, half a minute at most. */
export async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 30_000
  while (!isTrue()) {
    if (performance.now() > end) throw new Error('it never happened')
    await new Promise<void>((resolve) => setTimeout(resolve, 2))
  }
}

let keys = 0

/** Send options with a fresh key. */
export function sendOptions(more: Partial<SendOptions> = {}): SendOptions {
  keys += 1
  return { key: `key-${keys}`, priority: 'high', ...more }
}

/** Runs every call at once and writes down what it was asked. */
export function createImmediateScheduler(): {
  scheduler: CallScheduler
  holds: { bucket: string; ms: number }[]
  calls: (readonly string[])[]
} {
  const holds: { bucket: string; ms: number }[] = []
  const calls: (readonly string[])[] = []
  return {
    holds,
    calls,
    scheduler: {
      run: (request, call) => {
        calls.push(request.buckets.map((bucket) => bucket.name))
        return call()
      },
      hold: (bucket, ms) => {
        holds.push({ bucket, ms })
      },
    },
  }
}

function createMapLock(): AdapterDeps['lock'] {
  return { acquire: () => Promise.resolve(true), release: () => Promise.resolve() }
}

/** A plain HTTP server that hands raw requests to the adapter, as `http/` does. */
async function listen(adapter: () => Adapter | undefined): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = {
        method: request.method ?? '',
        path: '',
        query: new URLSearchParams(),
        headers: request.headers,
        body: Buffer.concat(chunks),
      }
      void adapter()
        ?.webhook?.(raw)
        .then((answer) => response.writeHead(answer.status, answer.headers).end(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/webhooks/ops`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
