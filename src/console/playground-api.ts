/** What the playground's page and its server say to each other. The page imports only the types. */
import { z } from 'zod'
import type {
  PlaygroundAction,
  PlaygroundChat,
  PlaygroundMcpServer,
  PlaygroundMessage,
  PlaygroundRun,
  PlaygroundTraffic,
} from '../protocol/playground.ts'
import type { Locale } from '../protocol/ports.ts'

const id = z.string().min(1).max(200)

/** `?platform=…&chat=…` */
export const messagesQuery = z.object({ platform: id, chat: id })

/** `?platform=…&chat=…&person=…&name=…`; the body is the file. */
export const uploadQuery = z.object({ platform: id, chat: id, person: id, name: z.string().min(1).max(255) })

const textPart = z.union([z.string().max(20_000), z.strictObject({ at: id })])

/** Body of `POST actions`. */
export const actionBody = z.strictObject({
  platform: id,
  action: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('send'),
      chatId: id,
      personId: id,
      text: z.array(textPart).min(1).max(200),
      quote: id.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('press'),
      chatId: id,
      personId: id,
      messageId: id,
      buttonId: id,
      form: z.record(z.string().max(200), z.string().max(20_000)),
    }),
    z.strictObject({ type: z.literal('recall'), chatId: id, personId: id, messageId: id }),
    z.strictObject({ type: z.literal('direct'), chatId: id, personId: id }),
  ]),
})

/** What the page posts; files go another way. */
export interface ActionBody {
  readonly platform: string
  readonly action: Exclude<PlaygroundAction, { type: 'upload' }>
}

export interface StateAnswer {
  readonly about: {
    readonly version: string
    /** Name of the model that answers. */
    readonly model: string
    /** True when answers come from fixed rules and not from a model. */
    readonly demo: boolean
  }
  readonly locale: Locale
  readonly uploadBytes: number
  readonly chats: readonly (PlaygroundChat & { readonly platform: string })[]
}

export interface MessagesAnswer {
  /** Number of the last event that these messages already contain. */
  readonly seq: number
  readonly messages: readonly PlaygroundMessage[]
  /** Older messages that were left out. */
  readonly omitted: number
}

export interface RunsAnswer {
  readonly runs: readonly PlaygroundRun[]
}

export interface McpAnswer {
  readonly servers: readonly PlaygroundMcpServer[]
  /** Files with servers that cannot be read, and why. */
  readonly problems: readonly { readonly file: string; readonly problem: string }[]
}

export interface TrafficAnswer {
  readonly entries: readonly Omit<PlaygroundTraffic, 'detail'>[]
  readonly omitted: number
}

/** One event of the stream. `hello` comes first after every connect: read everything again. */
export type StreamEvent =
  | { readonly type: 'hello'; readonly seq: number }
  | {
      readonly type: 'message'
      readonly seq: number
      readonly platform: string
      readonly message: PlaygroundMessage
    }
  | { readonly type: 'chats'; readonly seq: number; readonly platform: string }
  | { readonly type: 'traffic'; readonly seq: number; readonly platform: string }
  | { readonly type: 'mcp'; readonly seq: number }

export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string }
}
