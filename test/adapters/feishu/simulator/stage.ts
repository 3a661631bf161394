import { Client, EventDispatcher, LoggerLevel, WSClient } from '@larksuiteoapi/node-sdk'
import { z } from 'zod'
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
  /** One API call without the SDK; the body is sent as JSON, or as it is when it is a form. */
  call(method: string, path: string, body?: unknown, app?: AppInfo): Promise<Answer>
  /** Sends a message to a chat; `content` is made JSON. */
  send(chatId: string, type: string, content: unknown, extra?: object, app?: AppInfo): Promise<Answer>
  close(): Promise<void>
}

export type Handlers = Record<string, (data: never) => unknown>

/** A logger for the SDK that says nothing. */
export const silent = { error: quiet, warn: quiet, info: quiet, debug: quiet, trace: quiet }

function quiet(): void {}

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
  const call = createCaller(sim.url, app)
  return {
    call,
    send: (chatId, type, content, extra = {}, of = app) =>
      call(
        'POST',
        '/im/v1/messages?receive_id_type=chat_id',
        { receive_id: chatId, msg_type: type, content: JSON.stringify(content), ...extra },
        of,
      ),
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

function createCaller(url: string, app: AppInfo): Stage['call'] {
  return async (method, path, body, of = app) => {
    const token = await tokenOf(url, of)
    const isForm = body instanceof FormData
    const response = await fetch(`${url}/open-apis${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const json = answerSchema.parse(await response.json())
    return {
      status: response.status,
      headers: response.headers,
      body: json,
      code: json.code,
      msg: json.msg,
      data: json.data,
    }
  }
}

const tokenSchema = z.object({ tenant_access_token: z.string() })

/** A tenant access token, asked for each time. */
export async function tokenOf(url: string, app: AppInfo): Promise<string> {
  const body = JSON.stringify({ app_id: app.appId, app_secret: app.appSecret })
  const response = await fetch(`${url}/open-apis/auth/v3/tenant_access_token/internal`, {
    method: 'POST',
    body,
  })
  return tokenSchema.parse(await response.json()).tenant_access_token
}

function pings(control: Stage['control']): number {
  return control.journal().filter((entry) => entry.kind === 'connection' && entry.change === 'ping').length
}

type CacheValue = { value: unknown; expires: number }

/** Honours the expiry that the SDK hands over as an absolute time. */
function createCache(): {
  get: (key: unknown) => Promise<unknown>
  set: (key: unknown, value: unknown, expire?: number) => Promise<boolean>
} {
  const values = new Map<unknown, CacheValue>()
  return {
    get: async (key) => {
      const entry = values.get(key)
      return entry && entry.expires > Date.now() ? entry.value : undefined
    },
    set: async (key, value, expire) => {
      values.set(key, { value, expires: expire ?? Number.POSITIVE_INFINITY })
      return true
    },
  }
}

/** What one raw API call gave. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly code: number
  readonly msg: string
  readonly data: Record<string, unknown>
  /** The whole body. */
  readonly body: Record<string, unknown>
}

const answerSchema = z.looseObject({
  code: z.number().default(Number.NaN),
  msg: z.string().default(''),
  data: z.record(z.string(), z.unknown()).default({}),
})

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
