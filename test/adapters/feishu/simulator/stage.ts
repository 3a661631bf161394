import { Client, EventDispatcher, LoggerLevel, WSClient } from '@larksuiteoapi/node-sdk'
import {
  type AppInfo,
  type AppOptions,
  createFeishuSimulator,
  type FeishuSimulator,
  type SimulatorSettings,
} from '../../../../adapters/feishu/simulator/index.ts'
import { createManualClock, type ManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { createSeededRandom } from '../../../support/random.ts'

/** A simulator with two people, one bot and one group, and the real SDK pointed at it. */
export interface Stage {
  readonly sim: FeishuSimulator
  readonly control: FeishuSimulator['control']
  readonly clock: ManualClock
  readonly app: AppInfo
  readonly ann: string
  readonly bo: string
  readonly group: string
  /** A client with its own token cache. */
  client(app?: AppInfo): Client
  /** Connects and resolves once the simulator saw the first ping. */
  connect(handlers: Handlers, app?: AppInfo): Promise<WSClient>
  close(): Promise<void>
}

export type Handlers = Record<string, (data: never) => unknown>

const silent = { error: quiet, warn: quiet, info: quiet, debug: quiet, trace: quiet }

function quiet(): void {
}

let seeds = 0

export async function openStage(
  options: { settings?: Partial<SimulatorSettings>; app?: AppOptions } = {},
): Promise<Stage> {
  const clock = createManualClock()
  // The SDK keeps tokens per app id for the whole process, so each stage has ids of its own.
  const random = createSeededRandom(`${process.pid}:${Date.now()}:${seeds++}`)
  const settings = options.settings ?? {}
  const sim = await createFeishuSimulator({ clock, random, logger: createCollectingLogger(), settings })
  const { control } = sim
  const app = control.createApp({ name: 'Agent', ...options.app })
  const ann = control.createUser({ name: 'Ann', email: 'ann@example.com' }).userId
  const bo = control.createUser({ name: 'Bo' }).userId
  const group = control.createChat({ name: 'team', members: [ann, bo], bots: [app.appId] })
  const sockets: WSClient[] = []
  await clock.advance(0)
  control.clearJournal()
  return {
    sim,
    control,
    clock,
    app,
    ann,
    bo,
    group,
    client: (of = app) =>
      new Client({
        appId: of.appId,
        appSecret: of.appSecret,
        domain: sim.url,
        logger: silent,
        loggerLevel: LoggerLevel.fatal,
        cache: createCache(),
      }),
    connect: async (handlers, of = app) => {
      const socket = new WSClient({
        appId: of.appId,
        appSecret: of.appSecret,
        domain: sim.url,
        logger: silent,
        loggerLevel: LoggerLevel.fatal,
      })
      sockets.push(socket)
      const eventDispatcher = new EventDispatcher({
        logger: silent,
        loggerLevel: LoggerLevel.fatal,
      }).register(handlers)
      const before = pings(control)
      await socket.start({ eventDispatcher })
      await until(() => pings(control) > before)
      return socket
    },
    close: async () => {
      for (const socket of sockets) socket.close()
      await sim.stop()
    },
  }
}

function pings(control: Stage['control']): number {
  return control.journal().filter((entry) => entry.kind === 'connection' && entry.change === 'ping').length
}

function createCache(): {
  get: (key: string | symbol) => Promise<unknown>
  set: (key: string | symbol, value: unknown) => Promise<boolean>
} {
  const values = new Map<string | symbol, unknown>()
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      values.set(key, value)
      return true
    },
  }
}

/** Waits for something that happens in the same process, a few seconds at most. */
export async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 10_000
  while (!done()) {
    if (performance.now() > end) throw new Error('it never happened')
    await new Promise<void>((resolve) => setTimeout(resolve, 2))
  }
}

/** Business code of a rejected or resolved SDK call. */
export async function codeOf(call: Promise<unknown>): Promise<number> {
  const [settled] = await Promise.allSettled([call])
  const answer = settled?.status === 'fulfilled' ? settled.value : bodyOf(settled?.reason)
  return typeof answer === 'object' && answer !== null && 'code' in answer && typeof answer.code === 'number'
    ? answer.code
    : Number.NaN
}

function bodyOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('response' in error)) throw error
  const { response } = error
  return typeof response === 'object' && response !== null && 'data' in response ? response.data : undefined
}
