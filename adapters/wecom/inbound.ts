/**
 * The AI bot's callbacks as events of the house. Pure: a payload goes in, an event or nothing comes out.
 * Knows WeCom's message and event shapes; refuses to know sockets, the clock and who may do what.
 */
import type { Address } from '../../src/protocol/address.ts'
import type { ActionEvent, Attachment, InboundEvent, MessageEvent } from '../../src/protocol/inbound.ts'
import { decodeButton, NOOP_KEY } from './button.ts'
import { senderOf } from './identity.ts'
import { stripMention, stripSoleMention } from './mention.ts'
import { type AibotContent, type AibotPayload, cardEventOf } from './payload.ts'
import { encodeReply, type Reply } from './reply.ts'

interface InboundContext {
  /** Id of the bot in `yizhan.yaml`. */
  readonly botId: string
  /** Our display names, for stripping the mention. */
  readonly names: readonly string[]
  /** req_id of the frame; undefined for a URL callback. */
  readonly reqId?: string
  /** When the callback arrived, milliseconds: used where the payload has no `create_time`. */
  readonly receivedAt: number
}

/** The event of a callback; undefined for what nobody needs to know. */
export function inboundOf(payload: AibotPayload, context: InboundContext): InboundEvent | undefined {
  if (payload.from === undefined) return undefined
  if (payload.msgtype === 'event') return eventOf(payload, context)
  return messageOf(payload, context)
}

/** Our stream id of a URL callback: derived, so that a repeated delivery finds the same stream. */
export function pollStreamId(msgid: string): string {
  return `s-${msgid}`
}

function addressOf(payload: AibotPayload, botId: string): Address {
  const group = payload.chattype === 'group' && payload.chatid !== undefined
  return group
    ? { botId, chatId: payload.chatid ?? '', chatType: 'group' }
    : { botId, chatId: payload.from?.userid ?? '', chatType: 'direct' }
}

function personOf(payload: AibotPayload): ReturnType<typeof senderOf> {
  return senderOf(payload.from?.userid ?? '', payload.from?.corpid !== undefined)
}

function sentAtOf(payload: AibotPayload, context: InboundContext): number {
  return payload.create_time === undefined ? context.receivedAt : payload.create_time * 1_000
}

function messageOf(payload: AibotPayload, context: InboundContext): MessageEvent {
  const address = addressOf(payload, context.botId)
  const group = address.chatType === 'group'
  const typed = textOf(payload)
  const known = stripMention(typed, context.names)
  const stripped = known.found || !group ? known : stripSoleMention(typed)
  const attachments = attachmentsOf(payload, context)
  const empty = stripped.text === '' && attachments.length === 0
  return {
    type: 'message',
    address,
    messageId: payload.msgid,
    sender: personOf(payload),
    text: stripped.text,
    mentions: [],
    // A group message is delivered only when the bot is mentioned (doc 100719).
    mentionsBot: group || stripped.found,
    mentionsAll: false,
    attachments,
    ...(payload.quote && { quoted: quotedOf(payload.quote, context) }),
    ...(empty &&
      isUnreadable(payload) && { note: { key: 'wecom.unreadable', params: { type: payload.msgtype } } }),
    sentAt: sentAtOf(payload, context),
    replyTo: encodeReply(replyOf(payload, address, context)),
  }
}

function isUnreadable(payload: AibotPayload): boolean {
  return !['text', 'mixed', 'voice', 'image', 'file', 'video'].includes(payload.msgtype)
}

function replyOf(payload: AibotPayload, address: Address, context: InboundContext): Reply {
  const place = { chat: address.chatId, at: sentAtOf(payload, context) }
  if (context.reqId !== undefined) return { via: 'socket', ...place, reqId: context.reqId }
  const url = payload.response_url
  return { via: 'poll', ...place, stream: pollStreamId(payload.msgid), ...(url !== undefined && { url }) }
}

/** Typed or transcribed text; a mixed message's texts in order. */
function textOf(content: AibotContent): string {
  if (content.msgtype === 'mixed') {
    const parts = content.mixed?.msg_item ?? []
    return parts.flatMap((part) => (part.msgtype === 'text' ? [part.text?.content ?? ''] : [])).join('\n')
  }
  if (content.msgtype === 'voice') return content.voice?.content ?? ''
  return content.text?.content ?? ''
}

function attachmentsOf(content: AibotContent, context: InboundContext): Attachment[] {
  const handle = (media: { url: string; aeskey?: string | undefined }): Attachment['handle'] => ({
    url: media.url,
    at: String(context.receivedAt),
    ...(media.aeskey !== undefined && { aeskey: media.aeskey }),
  })
  switch (content.msgtype) {
    case 'mixed':
      return (content.mixed?.msg_item ?? []).flatMap((part) =>
        part.image ? [{ kind: 'image' as const, handle: handle(part.image) }] : [],
      )
    case 'image':
      return content.image ? [{ kind: 'image', handle: handle(content.image) }] : []
    case 'file':
      return content.file ? [{ kind: 'file', handle: handle(content.file) }] : []
    case 'video':
      return content.video ? [{ kind: 'video', handle: handle(content.video) }] : []
    default:
      return []
  }
}

function quotedOf(quote: AibotContent, context: InboundContext): NonNullable<MessageEvent['quoted']> {
  const text = textOf(quote)
  const attachments = attachmentsOf(quote, context)
  return { ...(text !== '' && { text }), ...(attachments.length > 0 && { attachments }) }
}

function eventOf(payload: AibotPayload, context: InboundContext): InboundEvent | undefined {
  const event = payload.event
  const base = {
    address: addressOf(payload, context.botId),
    eventId: payload.msgid,
    sentAt: sentAtOf(payload, context),
  }
  switch (event?.eventtype) {
    case 'enter_chat':
      return {
        type: 'chat_entered',
        ...base,
        operator: personOf(payload),
        replyTo: welcomeReply(payload, base, context),
      }
    case 'template_card_event':
      return actionOf(payload, base, context)
    case 'feedback_event': {
      const feedback = event.feedback_event ?? {}
      const helpful = feedback.type === 1 ? true : feedback.type === 2 ? false : undefined
      return { type: 'feedback', ...base, operator: personOf(payload), helpful, text: feedback.content ?? '' }
    }
    default:
      return undefined
  }
}

type Base = Pick<ActionEvent, 'address' | 'eventId' | 'sentAt'>

function welcomeReply(payload: AibotPayload, base: Base, context: InboundContext): string {
  const place = { chat: base.address.chatId, at: context.receivedAt }
  return context.reqId === undefined
    ? encodeReply({ via: 'http-welcome', ...place, stream: pollStreamId(payload.msgid) })
    : encodeReply({ via: 'welcome', ...place, reqId: context.reqId })
}

function actionOf(payload: AibotPayload, base: Base, context: InboundContext): ActionEvent | undefined {
  const click = payload.event ? cardEventOf(payload.event) : {}
  if (click.event_key === undefined || click.event_key === NOOP_KEY) return undefined
  const chosen = click.selected_items?.selected_item ?? []
  return {
    type: 'action',
    ...base,
    operator: personOf(payload),
    value: decodeButton(click.event_key),
    form: Object.fromEntries(chosen.map((item) => [item.question_key, item.option_ids?.option_id[0] ?? ''])),
    handle: {
      ...(click.task_id !== undefined && { taskId: click.task_id }),
      ...(context.reqId !== undefined && { reqId: context.reqId }),
    },
  }
}
