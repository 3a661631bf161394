import { z } from 'zod'
import type { MessageEvent } from '../../../src/protocol/inbound.ts'
import { readContent } from './content.ts'
import { type Envelope, type InboundContext, maybeText, readTime, userIdSchema } from './envelope.ts'
import { mentionSchema, readMentions } from './mentions.ts'
import { readSender } from './sender.ts'
import { areMaybeMentions, isMaybePerson, isMaybeText, isRecord, isText } from './shape.ts'

const schema = z.object({
  sender: z.object({
    sender_id: userIdSchema,
    sender_type: z.string().default('user'),
    tenant_key: maybeText,
  }),
  message: z.object({
    message_id: z.string().min(1),
    parent_id: maybeText,
    thread_id: maybeText,
    create_time: z.string().default('0'),
    chat_id: z.string().min(1),
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string().default(''),
    mentions: z.array(mentionSchema).nullish(),
  }),
})

type Said = z.output<typeof schema>

function isWhole(event: unknown): event is Said {
  if (!isRecord(event)) return false
  const { sender, message } = event
  return (
    isRecord(sender) &&
    isMaybePerson(sender.sender_id) &&
    typeof sender.sender_type === 'string' &&
    isMaybeText(sender.tenant_key) &&
    isRecord(message) &&
    isText(message.message_id) &&
    isMaybeText(message.parent_id) &&
    isMaybeText(message.thread_id) &&
    typeof message.create_time === 'string' &&
    isText(message.chat_id) &&
    typeof message.chat_type === 'string' &&
    typeof message.message_type === 'string' &&
    typeof message.content === 'string' &&
    areMaybeMentions(message.mentions)
  )
}

/**
 * `im.message.receive_v1` → message. Undefined when the bot itself wrote it, or when the payload has
 * no message. A topic is told by `thread_id` alone: every quoted reply has a `root_id`, topic or not.
 */
export function readMessage(envelope: Envelope, context: InboundContext): MessageEvent | undefined {
  const { event } = envelope
  const said = isWhole(event) ? event : schema.safeParse(event).data
  if (!said) return undefined
  const { sender, message } = said
  // Documented as `user | bot`; the message API says `app` for bots, so both are taken.
  const isBot = sender.sender_type !== 'user'
  if (isBot && (sender.sender_id?.open_id || undefined) === context.botOpenId) return undefined
  const mentions = readMentions(message.mentions ?? [], context)
  const sentAt = readTime(message.create_time)
  const content = readContent(message.message_type, message.content, message.message_id, mentions)
  return {
    type: 'message',
    address: {
      botId: context.botId,
      chatId: message.chat_id,
      chatType: message.chat_type === 'p2p' ? 'direct' : 'group',
      ...(message.thread_id ? { threadId: message.thread_id } : {}),
    },
    messageId: message.message_id,
    eventId: envelope.header.event_id,
    sender: readSender(sender.sender_id, {
      tenant: sender.tenant_key,
      ownTenant: envelope.header.tenant_key,
      isBot,
    }),
    text: content.text,
    mentions: mentions.mentions,
    mentionsBot: mentions.mentionsBot || (context.answerAll && content.mentionsAll),
    mentionsAll: content.mentionsAll,
    attachments: content.attachments,
    ...(message.parent_id ? { quoted: { messageId: message.parent_id } } : {}),
    ...(content.bundle ? { bundle: content.bundle } : {}),
    ...(content.note ? { note: content.note } : {}),
    sentAt,
    // `create_time` is when the message was sent, not when it is delivered (Feishu's page of im.message.receive_v1).
    ...(sentAt > 0 ? { isSentAtFixed: true } : {}),
    replyTo: message.message_id,
  }
}
