/** A corp whose bot and app call back by URL, with our adapter behind a server that passes the calls on. */
import { createServer } from 'node:http'
import { afterEach } from 'vitest'
import { createWecomAdapter, type WecomAdapter } from '../../../adapters/wecom/adapter.ts'
import type { WecomSettings } from '../../../adapters/wecom/simulator/control.ts'
import type { MessageView } from '../../../adapters/wecom/simulator/view.ts'
import type { RawRequest, Receipt } from '../../../src/protocol/adapter.ts'
import type { Card } from '../../../src/protocol/card.ts'
import type { InboundEvent, MessageEvent } from '../../../src/protocol/inbound.ts'
import { until } from './house.ts'
import { AES_KEY, APP, CORP_ID, type Fixture, GROUP, startCorp, TOKEN } from './simulator/fixture.ts'
import { testConfig, testDeps } from './twins.ts'

export const URL_BOT = 'aibqUrl'

export const card: Card = {
  title: '执行命令需要确认',
  tone: 'warning',
  blocks: [{ type: 'code', text: 'uname -a' }],
  buttons: [{ text: '允许', style: 'primary', value: { approval: 'a1', decision: 'allow' } }],
  summary: '等待审批',
  cardId: 'a1',
}
export const decided: Card = { ...card, tag: '已允许 ✓', buttons: [] }

export interface UrlHouse {
  readonly sim: Fixture
  /** The adapter of now; after a restart another. */
  adapter: WecomAdapter
  readonly events: InboundEvent[]
  /** What the core answers to the next events. */
  receipt: (event: InboundEvent) => Promise<Receipt>
  /** Somebody @mentions the bot in the group; resolves with the event the core gets. */
  ask(text: string): Promise<MessageEvent>
  /** What stands in a chat, newest last, without what people said. */
  said(chat?: string): MessageView[]
  /** Another process takes over, and hears nothing of what comes. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** For a file of tests: opens houses, and closes the last one behind each test. */
export function urlHouses(): typeof startUrlHouse {
  let house: UrlHouse
  afterEach(() => house.stop())
  return async (settings) => {
    house = await startUrlHouse(settings)
    return house
  }
}

async function startUrlHouse(settings: Partial<WecomSettings> = {}): Promise<UrlHouse> {
  const sim = await startCorp(settings)
  const server = await serve((request) => house.adapter.webhook?.(request))
  setUp(sim, server.url)
  const make = (): WecomAdapter => createWecomAdapter(urlConfig(sim), testDeps(sim.clock))
  const house: UrlHouse = {
    ...{ sim, adapter: make(), events: [], receipt: async () => ({}) },
    ask: async (text) => {
      const { people } = sim.control
      await people.send({ chat: GROUP, from: 'zhangsan', at: { bot: URL_BOT }, type: 'text', text })
      await until(() => house.events.some((event) => event.type === 'message'))
      const event = house.events.findLast((one) => one.type === 'message')
      if (event?.type !== 'message') throw new Error('no message')
      return event
    },
    said: (chat = GROUP) => sim.control.transcript(chat).filter((one) => one.sender.type !== 'member'),
    restart: async () => {
      await house.adapter.stop()
      house.adapter = make()
      await house.adapter.start(async () => ({}))
    },
    stop: async () => {
      await house.adapter.stop()
      await sim.stop()
      await server.close()
    },
  }
  await house.adapter.start(async (event) => {
    house.events.push(event)
    return house.receipt(event)
  })
  return house
}

const urlConfig = (sim: Fixture) =>
  testConfig({
    name: '报表 助手',
    aibot: { token: TOKEN, encodingAesKey: AES_KEY, botId: URL_BOT },
    app: { corpId: CORP_ID, ...APP, token: TOKEN, encodingAesKey: AES_KEY, baseUrl: sim.url },
  })

function setUp({ control }: Fixture, url: string): void {
  const keys = { token: TOKEN, aesKey: AES_KEY }
  control.corp.bot({ botId: URL_BOT, name: '报表 助手', callback: { url: `${url}/aibot`, ...keys } })
  control.corp.group({ chatId: GROUP, name: '运维群', members: ['zhangsan', 'LiSi'], bots: [URL_BOT] })
  const [app] = control.corp.snapshot().apps
  if (!app) throw new Error('no app')
  control.corp.app({ ...app, callback: { url: `${url}/app`, ...keys }, approvalEvents: true })
}

async function serve(
  webhook: (request: RawRequest) => ReturnType<NonNullable<WecomAdapter['webhook']>> | undefined,
) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const raw: RawRequest = {
        method: request.method ?? '',
        path: url.pathname.slice(1),
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(parts),
      }
      void webhook(raw)?.then((answer) => response.writeHead(answer.status, answer.headers).end(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
