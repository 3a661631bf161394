import { z } from 'zod'
import type { MembershipEvent, ReactionEvent, RecallEvent } from '../../../src/protocol/inbound.ts'
import { type Envelope, type InboundContext, optionalText, readTime, userIdSchema } from './envelope.ts'
import { readSender } from './sender.ts'

const membershipSchema = z.looseObject({
  chat_id: z.string().min(1),
  operator_id: userIdSchema,
  operator_tenant_key: optionalText,
})

/** The bot was added or removed, the group dissolved, or somebody opened the direct chat. */
export function readMembership(
  type: MembershipEvent['type'],
  envelope: Envelope,
  context: InboundContext,
): MembershipEvent | undefined {
  const parsed = membershipSchema.safeParse(envelope.event)
  if (!parsed.success) return undefined
  const { chat_id: chatId, operator_id: operator, operator_tenant_key: tenant } = parsed.data
  return {
    type,
    address: { botId: context.botId, chatId, chatType: type === 'chat_entered' ? 'direct' : 'group' },
    eventId: envelope.header.event_id,
    ...(operator?.open_id
      ? {
          operator: readSender(operator, { tenant, ownTenant: envelope.header.tenant_key, isBot: false }),
        }
      : {}),
    sentAt: readTime(envelope.header.create_time),
  }
}

const recallSchema = z.looseObject({
  message_id: z.string().min(1),
  chat_id: z.string().min(1),
  recall_time: optionalText,
})

/** `im.message.recalled_v1`. It does not say which kind of chat; `group` is assumed. */
export function readRecall(envelope: Envelope, context: InboundContext): RecallEvent | undefined {
  const parsed = recallSchema.safeParse(envelope.event)
  if (!parsed.success) return undefined
  return {
    type: 'recalled',
    address: { botId: context.botId, chatId: parsed.data.chat_id, chatType: 'group' },
    eventId: envelope.header.event_id,
    messageId: parsed.data.message_id,
    sentAt: readTime(parsed.data.recall_time ?? envelope.header.create_time),
  }
}

const reactionSchema = z.looseObject({
  message_id: z.string().min(1),
  reaction_type: z.looseObject({ emoji_type: z.string() }),
  operator_type: z.string().default('user'),
  user_id: userIdSchema,
  app_id: optionalText,
  action_time: optionalText,
})

/** A reaction came or went. Undefined for our own, which arrive as well and would make a loop. */
export function readReaction(
  added: boolean,
  envelope: Envelope,
  context: InboundContext,
): ReactionEvent | undefined {
  const parsed = reactionSchema.safeParse(envelope.event)
  if (!parsed.success) return undefined
  const { user_id: person, app_id: appId, operator_type: operatorType } = parsed.data
  const isBot = operatorType !== 'user'
  const isOwn = appId === context.appId || person?.open_id === context.botOpenId || !person?.open_id
  if (isBot && isOwn) return undefined
  return {
    type: 'reaction',
    eventId: envelope.header.event_id,
    messageId: parsed.data.message_id,
    // The payload names no tenant, so whoever reacts is never taken for a colleague.
    operator: readSender(person, { tenant: undefined, ownTenant: envelope.header.tenant_key, isBot }),
    emoji: parsed.data.reaction_type.emoji_type,
    added,
    sentAt: readTime(parsed.data.action_time ?? envelope.header.create_time),
  }
}
