/**
 * Callbacks of a self-built app (docs 90239, 90240, 91815) as events of the house. Pure. Chats of the
 * app are addressed `app:<userid>`, because the same person's chat with the AI bot is another chat.
 */
import { z } from 'zod'
import { userKey } from '../../src/protocol/address.ts'
import type {
  ActionEvent,
  Attachment,
  InboundEvent,
  MessageEvent,
  OaApprovalEvent,
} from '../../src/protocol/inbound.ts'
import { decodeButton, NOOP_KEY } from './button.ts'
import { senderOf } from './identity.ts'

const text = z.string().catch('')

const approvalInfo = z.looseObject({
  SpNo: text,
  SpNoStr: z.string().optional(),
  SpName: text,
  StatuChangeEvent: text,
  Applyer: z.looseObject({ UserId: text }).optional(),
})

export const appSchema = z.looseObject({
  xml: z.looseObject({
    ToUserName: z.string(),
    FromUserName: z.string(),
    CreateTime: z.coerce.number(),
    MsgType: z.string(),
    /** 64-bit: stays a string. */
    MsgId: z.string().optional(),
    AgentID: z.string().optional(),
    Content: text,
    MediaId: text,
    Label: text,
    Title: text,
    Url: text,
    Event: text,
    EventKey: text,
    TaskId: text,
    ResponseCode: text,
    SelectedItems: z
      .looseObject({
        SelectedItem: z
          .array(
            z.looseObject({
              QuestionKey: text,
              OptionIds: z.looseObject({ OptionId: z.array(z.string()).default([]) }).optional(),
            }),
          )
          .default([]),
      })
      .optional()
      .catch(undefined),
    ApprovalInfo: approvalInfo.optional(),
  }),
})

export type AppPayload = z.output<typeof appSchema>['xml']

/** `StatuChangeEvent` (spelt so) of doc 91815. */
const CHANGES: Readonly<Record<string, string>> = {
  '1': 'filed',
  '2': 'agreed',
  '3': 'rejected',
  '4': 'transferred',
  '5': 'urged',
  '6': 'withdrawn',
  '8': 'withdrawn_after_approval',
  '10': 'commented',
  '11': 'returned',
  '12': 'approver_added',
  '13': 'cosigned',
  '14': 'handled',
  '15': 'handed_over',
}

/** Prefix of chats with a self-built app. */
export const APP_CHAT = 'app:'

/** The event of an app callback; undefined for what nobody needs to know. */
export function appInboundOf(payload: AppPayload, botId: string): InboundEvent | undefined {
  if (payload.MsgType !== 'event') return messageOf(payload, botId)
  if (payload.Event === 'sys_approval_change') return approvalOf(payload, botId)
  if (payload.Event === 'template_card_event') return actionOf(payload, botId)
  return undefined
}

function addressOf(payload: AppPayload, botId: string): ActionEvent['address'] {
  return { botId, chatId: `${APP_CHAT}${payload.FromUserName}`, chatType: 'direct' }
}

function messageOf(payload: AppPayload, botId: string): MessageEvent {
  const attachments = attachmentsOf(payload)
  const content = contentOf(payload)
  return {
    type: 'message',
    address: addressOf(payload, botId),
    messageId: payload.MsgId ?? `${payload.FromUserName}:${payload.CreateTime}`,
    sender: senderOf(payload.FromUserName),
    text: content,
    mentions: [],
    mentionsBot: false,
    mentionsAll: false,
    attachments,
    ...(content === '' &&
      attachments.length === 0 && { note: { key: 'wecom.unreadable', params: { type: payload.MsgType } } }),
    sentAt: payload.CreateTime * 1_000,
    replyTo: '',
  }
}

function contentOf(payload: AppPayload): string {
  switch (payload.MsgType) {
    case 'text':
      return payload.Content.trim()
    case 'location':
      return payload.Label
    case 'link':
      return [payload.Title, payload.Url].filter(Boolean).join('\n')
    default:
      return ''
  }
}

const MEDIA_KINDS: Readonly<Record<string, Attachment['kind']>> = {
  image: 'image',
  voice: 'audio',
  video: 'video',
  file: 'file',
}

function attachmentsOf(payload: AppPayload): Attachment[] {
  const kind = MEDIA_KINDS[payload.MsgType]
  return kind && payload.MediaId ? [{ kind, handle: { mediaId: payload.MediaId } }] : []
}

function actionOf(payload: AppPayload, botId: string): ActionEvent | undefined {
  if (payload.EventKey === '' || payload.EventKey === NOOP_KEY) return undefined
  const chosen = payload.SelectedItems?.SelectedItem ?? []
  return {
    type: 'action',
    address: addressOf(payload, botId),
    // Events have no MsgId; the response code is new for every click.
    eventId: ['click', payload.FromUserName, payload.CreateTime, payload.TaskId, payload.ResponseCode].join(
      ':',
    ),
    operator: senderOf(payload.FromUserName),
    value: decodeButton(payload.EventKey),
    form: Object.fromEntries(chosen.map((item) => [item.QuestionKey, item.OptionIds?.OptionId[0] ?? ''])),
    sentAt: payload.CreateTime * 1_000,
    handle: { taskId: payload.TaskId, responseCode: payload.ResponseCode },
  }
}

function approvalOf(payload: AppPayload, botId: string): OaApprovalEvent | undefined {
  const info = payload.ApprovalInfo
  if (info === undefined) return undefined
  // SpNo may exceed what a number holds exactly; SpNoStr is the platform's own remedy.
  const number = info.SpNoStr || info.SpNo
  return {
    type: 'oa_approval',
    botId,
    eventId: ['oa', number, info.StatuChangeEvent, payload.CreateTime].join(':'),
    number,
    name: info.SpName,
    change: CHANGES[info.StatuChangeEvent] ?? `unknown_${info.StatuChangeEvent}`,
    applicant: userKey('wecom', info.Applyer?.UserId ?? ''),
    sentAt: payload.CreateTime * 1_000,
  }
}
