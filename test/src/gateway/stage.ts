/** A gateway over a real store and outbox, with twins for what lies behind it. */

import { afterEach } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import type { GatewayDeps } from '../../../src/gateway/deps.ts'
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts'
import { createOutbox, type Outbox } from '../../../src/outbound/outbox.ts'
import { sessionKey, type UserKey } from '../../../src/protocol/address.ts'
import type { MessageEvent, Sender } from '../../../src/protocol/inbound.ts'
import { waitingCommands } from '../../../src/store/repositories/inbox.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createSeededRandom } from '../../support/random.ts'
import { createRecordingAdapter, type RecordingAdapter } from '../../support/recording-adapter.ts'
import { openTestStore } from '../../support/store.ts'

export const group = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
export const session = sessionKey(group)

export const person = (user: UserKey, change: Partial<Sender> = {}): Sender => ({
  user,
  name: '张三',
  isBot: false,
  isExternal: false,
  ...change,
})

let messages = 0

/** A message in the group, of its own id, sent when a manual clock begins. */
export function messageEvent(change: Partial<MessageEvent> = {}): MessageEvent {
  const messageId = change.messageId ?? `om_${++messages}`
  return {
    type: 'message',
    address: group,
    messageId,
    sender: person('feishu:ou_1'),
    text: '你好',
    mentions: [],
    mentionsBot: false,
    mentionsAll: false,
    attachments: [],
    sentAt: Date.UTC(2026, 0, 5, 1),
    replyTo: messageId,
    ...change,
  }
}

export interface GatewayStage {
  readonly gateway: Gateway
  readonly store: Awaited<ReturnType<typeof openTestStore>>
  readonly outbox: Outbox
  readonly clock: ManualClock
  readonly adapter: RecordingAdapter
  /** Sessions in the order in which they were woken, interrupted, and whose approvals were cancelled. */
  readonly woken: string[]
  readonly interrupted: string[]
  readonly cancelled: string[]
  readonly prefetched: number[]
  /** `type verdict` of every counted event. */
  readonly counted: string[]
  close(): Promise<void>
}

export async function openGateway(
  change: Partial<GatewayDeps> = {},
  dataDir?: string,
): Promise<GatewayStage> {
  const store = await openTestStore(dataDir)
  const clock = createManualClock()
  const random = createSeededRandom()
  const logger = createCollectingLogger()
  const adapter = createRecordingAdapter()
  const [woken, interrupted, cancelled, counted]: [string[], string[], string[], string[]] = [[], [], [], []]
  const prefetched: number[] = []
  const outbox = createOutbox({
    ...{ store, clock, random, logger },
    adapter: () => adapter,
    onClosed: async () => {},
  })
  const deps = {
    ...{ store, outbox, clock, random, logger, dataDir: store.dataDir },
    queue: { wake: async (id: string) => void woken.push(id) },
    approvals: {
      cancelSession: async (id: string) => void cancelled.push(id),
      pendingFor: async () => [],
      mutedUntil: async () => 0,
    },
    access: { mayTalk: () => true, mayOperate: () => true, isAdmin: () => false },
    text:
      () =>
      (key: string, params: object = {}) =>
        [key, ...Object.entries(params).map(([name, value]) => `${name}=${value}`)].join(' '),
    answerAll: () => false,
    inbound: configSchema.parse({}).inbound,
    prefetch: ({ id }: { id: number }) => void prefetched.push(id),
    waitingCommands: () => waitingCommands(store.db),
    interrupt: (id: string) => void interrupted.push(id),
    models: { defaultName: 'main', names: ['main', 'small'] },
    modelLabel: (name: string) => name,
    tools: () => [{ name: 'shell', about: '执行命令', problem: 'no sandbox' }],
    decisionText: (event: MessageEvent) => event.text.startsWith('允许'),
    decideByText: async () => 'decided',
    handleAction: async () => ({ toast: { tone: 'info' as const, text: 'seen' } }),
    onOther: async () => {},
    count: (_metric: string, labels: { type: string; verdict: string }) =>
      void counted.push(`${labels.type} ${labels.verdict}`),
    ...change,
  } as unknown as GatewayDeps
  return {
    gateway: createGateway(deps),
    ...{ store, outbox, clock, adapter, woken, interrupted, cancelled, prefetched, counted },
    close: async () => {
      await outbox.stop()
      await store.close()
    },
  }
}

/** For a file of tests: opens a stage, lets it come to rest, and closes the last one behind each test. */
export function gatewayStages() {
  let stage: GatewayStage
  afterEach(() => stage.close())
  return {
    open: async (change: Partial<GatewayDeps> = {}, dataDir?: string): Promise<GatewayStage> => {
      stage = await openGateway(change, dataDir)
      return stage
    },
    settle: async (): Promise<void> => {
      await stage.gateway.drain()
      await stage.clock.advance(0)
    },
  }
}
