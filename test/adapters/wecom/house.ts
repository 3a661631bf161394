/** A simulated corp with our adapter connected to it: what the core would see and do, in one place. */

import { createWecomAdapter, type WecomAdapter } from '../../../adapters/wecom/adapter.ts'
import type { WecomConfig } from '../../../adapters/wecom/config.ts'
import { directChat, type WecomSettings } from '../../../adapters/wecom/simulator/control.ts'
import type { MessageView } from '../../../adapters/wecom/simulator/view.ts'
import type { Adapter, Receipt, SendOptions } from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import type { InboundEvent, MessageEvent } from '../../../src/protocol/inbound.ts'
import type { LiveState, OutboundMessage, SentMessage } from '../../../src/protocol/outbound.ts'
import type { CollectedLine } from '../../support/logger.ts'
import { APP, BOT, CORP_ID, type Fixture, GROUP, SECRET, startCorp } from './simulator/fixture.ts'
import { createTestLock, options, testConfig, testDeps } from './twins.ts'

export interface House {
  readonly sim: Fixture
  readonly adapter: WecomAdapter
  readonly events: InboundEvent[]
  readonly lines: CollectedLine[]
  readonly lock: ReturnType<typeof createTestLock>
  /** What the core answers to the next events. */
  receipt: (event: InboundEvent) => Promise<Receipt>
  /** Somebody @mentions the bot in the group; resolves with the event the core gets. */
  ask(text: string, from?: string): Promise<MessageEvent>
  /** The same in a single chat. */
  tell(text: string, from?: string): Promise<MessageEvent>
  /** The next event of a kind. */
  next<T extends InboundEvent['type']>(type: T): Promise<InboundEvent & { type: T }>
  /** What stands in a chat, newest last, without what people said. */
  said(chat?: string, viewer?: string): MessageView[]
  /** A second adapter of the same bot, as another process would have. */
  another(change?: Partial<WecomConfig>, owner?: string): WecomAdapter
  stop(): Promise<void>
}

export const GROUP_ADDRESS: Address = { botId: 'oa', chatId: GROUP, chatType: 'group' }
export const DIRECT_ADDRESS: Address = { botId: 'oa', chatId: 'zhangsan', chatType: 'direct' }
export const DIRECT_CHAT = directChat(BOT, 'zhangsan')

export function socketConfig(sim: Fixture, change: Partial<WecomConfig> = {}): WecomConfig {
  return testConfig({
    aibot: { botId: BOT, secret: SECRET, wsUrl: sim.wsUrl },
    app: { corpId: CORP_ID, ...APP, baseUrl: sim.url },
    groupRobots: { daily: 'robot-key' },
    ...change,
  })
}

export async function startHouse(
  change: Partial<WecomConfig> = {},
  settings: Partial<WecomSettings> = {},
): Promise<House> {
  const sim = await startCorp(settings)
  const lines: CollectedLine[] = []
  const lock = createTestLock()
  const events: InboundEvent[] = []
  const taken = new Set<InboundEvent>()
  const extra: Adapter[] = []
  const make = (more: Partial<WecomConfig>, owner: string): WecomAdapter =>
    createWecomAdapter(socketConfig(sim, { ...change, ...more }), testDeps(sim.clock, lines, lock.as(owner)))
  const adapter = make({}, 'one')
  const house: House = {
    sim,
    adapter,
    events,
    lines,
    lock,
    receipt: async () => ({}),
    ask: async (text, from = 'zhangsan') => {
      await sim.control.people.send({ chat: GROUP, from, type: 'text', text, at: { bot: BOT } })
      return house.next('message')
    },
    tell: async (text, from = 'zhangsan') => {
      await sim.control.people.send({ chat: directChat(BOT, from), from, type: 'text', text })
      return house.next('message')
    },
    next: async (type) => {
      const fits = (event: InboundEvent): event is InboundEvent & { type: typeof type } =>
        event.type === type && !taken.has(event)
      await until(() => events.some(fits))
      const found = events.find(fits)
      if (found === undefined) throw new Error(`no ${type}`)
      taken.add(found)
      return found
    },
    said: (chat = GROUP, viewer) =>
      sim.control.transcript(chat, viewer).filter((message) => message.sender.type !== 'member'),
    another: (more = {}, owner = 'two') => {
      const made = make(more, owner)
      extra.push(made)
      return made
    },
    stop: async () => {
      for (const one of [adapter, ...extra]) await one.stop()
      await sim.stop()
    },
  }
  await adapter.start((event) => {
    events.push(event)
    return house.receipt(event)
  })
  return house
}

/** Lets sockets and promises run, on real time, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000
  while (!condition()) {
    if (performance.now() > end) throw new Error('waited ten seconds in vain')
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Moves the clock in small steps until a promise settles, as time would pass. */
export async function passing<T>(sim: Fixture, work: Promise<T>, stepMs = 1_000, steps = 600): Promise<T> {
  let open = true
  const done = work.finally(() => {
    open = false
  })
  done.catch(() => undefined)
  for (let index = 0; open && index < steps; index++) {
    for (let turn = 0; open && turn < 40; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    if (open) await sim.clock.advance(stepMs)
  }
  return done
}

export function liveOf(text: string, change: Partial<LiveState> = {}): OutboundMessage & { type: 'live' } {
  return {
    type: 'live',
    live: { phase: 'working', label: '正在处理…', text, steps: [], todos: [], ...change },
  }
}

/** The text of a message, whatever its kind; for streams with a mark while unfinished. */
export function textOf(message: MessageView): string {
  const { content } = message
  if (content.type === 'stream') return content.finished ? content.text : `${content.text} ▍`
  return content.type === 'markdown' || content.type === 'text' ? content.text : `[${content.type}]`
}

/** Sends a live message that answers an event, and updates of it. */
export function answering(house: House, event: MessageEvent, key: string) {
  let sent: SentMessage | undefined
  return async (message: OutboundMessage, change: Partial<SendOptions> = {}): Promise<SentMessage> => {
    const whole = { ...message, replyTo: event.replyTo }
    sent = sent
      ? await house.adapter.update(sent, event.address, whole, options(key, change))
      : await house.adapter.send(event.address, whole, options(key, change))
    return sent
  }
}
