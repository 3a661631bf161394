/** A platform that remembers what it was asked to do, and fails when a test says so. */
import type {
  Adapter,
  AdapterStatus,
  Capabilities,
  Hydrated,
  Receive,
  SendOptions,
} from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import type { OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'

export interface RecordedCall {
  readonly kind: 'send' | 'update'
  readonly to: Address
  readonly message: OutboundMessage
  readonly key: string
  readonly options: SendOptions
  /** Message that an update replaces. */
  readonly before?: string
}

export interface RecordingAdapter extends Adapter {
  /** Calls in the order in which they came, failed ones included. */
  readonly calls: RecordedCall[]
  /** Words of the messages of all calls. */
  said(): string[]
  /** Words of every message as it stands now, in the order of their first appearance. */
  messages(): string[]
  /** The next calls end like this, one after the other; undefined lets one succeed. */
  fail(...errors: (Error | undefined)[]): void
  /** Every call from now on waits until the returned function is called. */
  pause(): () => void
  setStatus(status: Partial<AdapterStatus>): void
  /** What a download writes; a rejection is the download's. */
  onDownload: (path: string) => Promise<{ name: string; bytes: number }>
  hydrated: Hydrated
  /** What the house handed over at the start. */
  received: Receive | undefined
  /** Small data that every sent message carries. */
  handle: SentMessage['handle']
}

const CAPABILITIES: Capabilities = {
  markdownBytes: 4_000,
  textBytes: 4_000,
  cardCodeBytes: 4_000,
  tablesPerMessage: 5,
  fileBytes: 1_000_000,
  imageBytes: 1_000_000,
  liveIntervalMs: 500,
  liveWindowMs: Number.POSITIVE_INFINITY,
  cardsUpdatable: true,
  continueInCard: false,
  idempotentSendMs: 3_600_000,
}

export function createRecordingAdapter(
  options: { botId?: string; platform?: string; capabilities?: Partial<Capabilities> } = {},
): RecordingAdapter {
  const { botId = 'ops', platform = 'feishu' } = options
  const calls: RecordedCall[] = []
  const failures: (Error | undefined)[] = []
  const standing = new Map<string, string>()
  let status: AdapterStatus = { state: 'connected', detail: '', since: 0 }
  let gate = Promise.resolve()

  const record = async (call: RecordedCall): Promise<SentMessage> => {
    calls.push(call)
    const number = calls.length
    await gate
    const failure = failures.shift()
    if (failure) throw failure
    const messageId = call.before ?? `sent-${number}`
    standing.set(messageId, wordsOf(call.message))
    return { messageId, handle: adapter.handle }
  }

  const adapter: RecordingAdapter = {
    botId,
    platform,
    capabilities: { ...CAPABILITIES, ...options.capabilities },
    calls,
    hydrated: { context: [], attachments: [], notes: [], names: {} },
    received: undefined,
    handle: {},
    said: () => calls.map(({ message }) => wordsOf(message)),
    messages: () => [...standing.values()],
    fail: (...errors) => {
      failures.push(...errors)
    },
    pause: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    setStatus: (next) => {
      status = { ...status, ...next }
    },
    onDownload: async () => {
      throw new Error('nothing to download')
    },
    start: async (receive) => {
      adapter.received = receive
    },
    send: (to, message, opts) => record({ kind: 'send', to, message, key: opts.key, options: opts }),
    update: (sent, to, message, opts) =>
      record({ kind: 'update', to, message, key: opts.key, options: opts, before: sent.messageId }),
    hydrate: async () => adapter.hydrated,
    download: (_attachment, path) => adapter.onDownload(path),
    indicate: async () => async () => {},
    status: () => status,
    diagnose: async () => [],
    stop: async () => {
      status = { ...status, state: 'stopped' }
    },
  }
  return adapter
}

function wordsOf(message: OutboundMessage): string {
  switch (message.type) {
    case 'text':
      return message.text
    case 'markdown':
      return message.markdown
    case 'live':
      return message.live.text
    case 'card':
      return message.card.title
    case 'file':
      return message.file.name
  }
}
