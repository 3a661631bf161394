/**
 * What exists in the simulated tenant: plain records and the indexes to find them. Knows no HTTP and
 * no rule; the nouns beside it read and change these records.
 */
import type { Clock, Logger, Random } from '../../../src/protocol/ports.ts'
import type { SimulatorChange } from './control.ts'
import type { Ids } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { SimulatorSettings } from './settings.ts'

/** An app and its settings in the console. */
export interface App {
  readonly appId: string
  readonly tenantKey: string
  readonly botOpenId: string
  secret: string
  name: string
  scopes: Set<string>
  bot: boolean
  published: boolean
  eventMode: 'ws' | 'webhook'
  callbackMode: 'ws' | 'webhook' | 'none'
  webhookUrl: string
  callbackUrl: string
  encryptKey: string
  verificationToken: string
  availability: 'all' | Set<string>
  ipAllowList: readonly string[]
  events: Set<string>
}

/** A person of a tenant. */
export interface User {
  readonly userId: string
  readonly unionId: string
  readonly tenantKey: string
  readonly name: string
  readonly email: string
  readonly mobile: string
  readonly departments: readonly string[]
  readonly resigned: boolean
}

/** A group, topic group or direct chat. */
export interface Chat {
  readonly chatId: string
  readonly mode: 'p2p' | 'group' | 'topic'
  readonly tenantKey: string
  readonly members: Set<string>
  readonly bots: Set<string>
  name: string
  owner: string
  atAllAllowed: boolean
  topicsAllowed: boolean
  muted: boolean
  restricted: boolean
  disbanded: boolean
}

/** Somebody who can write, react or be mentioned. */
export interface Party {
  readonly kind: 'user' | 'bot' | 'all'
  /** user id, app id, or `all` */
  readonly id: string
}

/** A placeholder in a content and whom it stands for. */
export interface Mention {
  readonly key: string
  readonly party: Party
  readonly name: string
}

/** One emoji of one party. */
export interface Reaction {
  readonly reactionId: string
  readonly emoji: string
  readonly party: Party
  readonly at: number
}

/** A message as it is kept. */
export interface Message {
  readonly messageId: string
  readonly chatId: string
  readonly type: string
  readonly sender: Party
  readonly createdAt: number
  readonly rootId?: string
  readonly parentId?: string
  /** Set later on the message that becomes the first of a topic. */
  threadId?: string
  /** Content as a receiver gets it, JSON text; for cards the card itself. */
  content: string
  mentions: readonly Mention[]
  updatedAt: number
  edits: number
  recalled: boolean
  reactions: Reaction[]
  /** Card entity that the message shows. */
  readonly cardId?: string
  /** Original of a forwarded copy. */
  readonly forwardedFrom?: string
  /** True for a message inside a forwarded bundle. */
  readonly bundled?: boolean
  /** Messages inside a forwarded bundle. */
  readonly children?: readonly Message[]
}

/** A file or image with its bytes. */
export interface Resource {
  readonly key: string
  readonly kind: 'image' | 'file'
  /** `message`, `avatar`, or the file type of the upload. */
  readonly type: string
  readonly name: string
  readonly bytes: Buffer
  readonly owner: Party
}

/** A card made by cardkit. */
export interface CardEntity {
  readonly cardId: string
  readonly appId: string
  readonly createdAt: number
  card: JsonObject
  sequence: number
  messageId?: string
  /** Until when streaming stays open by the monotonic clock; past when it timed out, 0 when closed. */
  streamingUntil: number
  /** Digest of the request that first used a uuid. */
  readonly uuids: Map<string, string>
}

/** Everything that exists. */
export interface State {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly ids: Ids
  settings: SimulatorSettings
  readonly defaultTenant: string
  readonly tenants: Map<string, string>
  readonly apps: Map<string, App>
  readonly users: Map<string, User>
  readonly departments: Map<string, string>
  readonly chats: Map<string, Chat>
  readonly messages: Map<string, Message>
  /** Message ids of a chat, oldest first. */
  readonly order: Map<string, string[]>
  readonly resources: Map<string, Resource>
  readonly cards: Map<string, CardEntity>
  /** Owner of every open_id ever given out. */
  readonly openIds: Map<string, { appId: string; party: Party }>
  readonly unionIds: Map<string, string>
  readonly listeners: Set<(change: SimulatorChange) => void>
}

/** An empty tenant. */
export function createState(
  ports: { clock: Clock; random: Random; logger: Logger },
  ids: Ids,
  settings: SimulatorSettings,
): State {
  const defaultTenant = ids.hex(16)
  return {
    ...ports,
    ids,
    settings,
    defaultTenant,
    tenants: new Map([[defaultTenant, '示例公司']]),
    apps: new Map(),
    users: new Map(),
    departments: new Map(),
    chats: new Map(),
    messages: new Map(),
    order: new Map(),
    resources: new Map(),
    cards: new Map(),
    openIds: new Map(),
    unionIds: new Map(),
    listeners: new Set(),
  }
}

/** Tells every live page. */
export function announce(state: State, change: SimulatorChange): void {
  for (const listener of state.listeners) listener(change)
}
