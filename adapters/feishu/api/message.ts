import { createHash } from 'node:crypto'
import { z } from 'zod'
import { optionalText } from '../inbound/envelope.ts'
import { mentionSchema } from '../inbound/mentions.ts'
import { chatBucket, messageBucket } from './bucket.ts'
import { type Api, anyAnswer } from './client.ts'

/** Longest `uuid` that Feishu takes. */
const MOST_UUID = 50

/** Content of a message on the wire: `content` is JSON inside JSON. */
export interface WireMessage {
  readonly msgType: 'text' | 'interactive' | 'image' | 'file' | 'audio' | 'media'
  readonly content: object
}

/** What every sending call carries. */
export interface CallOptions {
  /** Idempotency key of any length; the platform remembers it for an hour. */
  readonly key: string
  readonly priority: 'high' | 'low'
  readonly signal?: AbortSignal | undefined
}

const createdSchema = z.looseObject({ data: z.looseObject({ message_id: z.string().min(1) }) })

/** Sends into a chat, or to a person by id. Returns the new message's id. */
export async function createMessage(
  api: Api,
  chatId: string,
  message: WireMessage,
  options: CallOptions,
): Promise<string> {
  const answer = await api.json(
    {
      api: 'im.message.create',
      method: 'POST',
      path: '/open-apis/im/v1/messages',
      query: { receive_id_type: receiveIdType(chatId) },
      json: { receive_id: chatId, uuid: uuidOf(options.key), ...wire(message) },
      buckets: [chatBucket(chatId)],
      priority: options.priority,
      lane: chatId,
      signal: options.signal,
    },
    createdSchema,
  )
  return answer.data.message_id
}

/** Answers a message; `inTopic` keeps the answer in the topic of that message. */
export async function replyMessage(
  api: Api,
  target: { readonly chatId: string; readonly messageId: string; readonly inTopic: boolean },
  message: WireMessage,
  options: CallOptions,
): Promise<string> {
  const answer = await api.json(
    {
      api: 'im.message.reply',
      method: 'POST',
      path: `/open-apis/im/v1/messages/${encodeURIComponent(target.messageId)}/reply`,
      json: {
        uuid: uuidOf(options.key),
        ...wire(message),
        ...(target.inTopic ? { reply_in_thread: true } : {}),
      },
      buckets: [chatBucket(target.chatId)],
      priority: options.priority,
      lane: target.chatId,
      signal: options.signal,
    },
    createdSchema,
  )
  return answer.data.message_id
}

/** Replaces a card that was sent as a message: five times a second, for 14 days. */
export async function patchCard(
  api: Api,
  messageId: string,
  card: object,
  options: Omit<CallOptions, 'key'>,
): Promise<void> {
  await api.json(
    {
      api: 'im.message.patch',
      method: 'PATCH',
      path: `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`,
      json: { content: JSON.stringify(card) },
      buckets: [messageBucket(messageId)],
      priority: options.priority,
      lane: messageId,
      signal: options.signal,
    },
    anyAnswer,
  )
}

/** Edits an own text message; at most 20 times. Without effect on cards, which need {@link patchCard}. */
export async function editText(
  api: Api,
  messageId: string,
  text: string,
  options: Omit<CallOptions, 'key'>,
): Promise<void> {
  await api.json(
    {
      api: 'im.message.update',
      method: 'PUT',
      path: `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`,
      json: { msg_type: 'text', content: JSON.stringify({ text }) },
      buckets: [messageBucket(messageId)],
      priority: options.priority,
      lane: messageId,
      signal: options.signal,
    },
    anyAnswer,
  )
}

const itemSchema = z.looseObject({
  message_id: z.string(),
  msg_type: z.string(),
  upper_message_id: optionalText,
  deleted: z.boolean().optional(),
  body: z.looseObject({ content: z.string().default('') }).nullish(),
  sender: z.looseObject({ id: optionalText, sender_type: optionalText }).nullish(),
  mentions: z.array(mentionSchema).nullish(),
})

/** A message as the API tells it; its shape differs from the event's. */
export type StoredMessage = z.output<typeof itemSchema>

const itemsSchema = z.looseObject({ data: z.looseObject({ items: z.array(itemSchema).nullish() }) })

/** One message; for a forwarded bundle the bundle first and then what it holds, nested ones included. */
export async function getMessage(
  api: Api,
  messageId: string,
  signal?: AbortSignal,
): Promise<StoredMessage[]> {
  const answer = await api.json(
    {
      api: 'im.message.get',
      method: 'GET',
      path: `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}`,
      signal,
    },
    itemsSchema,
  )
  return answer.data.items ?? []
}

/** The newest messages of a topic. */
export async function listTopic(api: Api, threadId: string, signal?: AbortSignal): Promise<StoredMessage[]> {
  const answer = await api.json(
    {
      api: 'im.message.list',
      method: 'GET',
      path: '/open-apis/im/v1/messages',
      query: {
        container_id_type: 'thread',
        container_id: threadId,
        sort_type: 'ByCreateTimeDesc',
        page_size: '20',
      },
      signal,
    },
    itemsSchema,
  )
  return answer.data.items ?? []
}

/** Kind of id by its prefix, so that a schedule may name a chat or a person. */
function receiveIdType(id: string): string {
  if (id.startsWith('oc_')) return 'chat_id'
  if (id.startsWith('ou_')) return 'open_id'
  if (id.startsWith('on_')) return 'union_id'
  return id.includes('@') ? 'email' : 'user_id'
}

function wire(message: WireMessage): { msg_type: string; content: string } {
  return { msg_type: message.msgType, content: JSON.stringify(message.content) }
}

/** Feishu refuses a `uuid` of more than 50 characters; a longer key is stood for by its digest. */
function uuidOf(key: string): string {
  return key.length <= MOST_UUID ? key : createHash('sha256').update(key).digest('hex').slice(0, MOST_UUID)
}
