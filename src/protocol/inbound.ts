/** What adapters hand in. Plain data: an event survives JSON and is stored as it is. */
import type { Address, UserKey } from './address.ts'
import type { ScheduledOrigin } from './schedule.ts'

/** Who sent a message or pressed a button. */
export interface Sender {
  /** Person (or bot) in the form rules use. `unknown:` ids never match a rule. */
  readonly user: UserKey
  /** Display name if the payload carried one. Shown, never compared. */
  readonly name?: string
  readonly isBot: boolean
  /** True when the person belongs to another company (tenant, corp). Never an approver. */
  readonly isExternal: boolean
}

/** Somebody whom a message mentions. */
export interface Mention {
  readonly user: UserKey
  readonly name: string
  readonly isBot: boolean
}

/** Kind of an attachment, as the platform tells it. */
export type AttachmentKind = 'image' | 'file' | 'audio' | 'video'

/** A file that is still on the platform. `handle` is the adapter's own, opaque to everyone else. */
export interface Attachment {
  readonly kind: AttachmentKind
  /** Name as the sender's client gave it, untrusted; absent when the platform gives none. */
  readonly name?: string
  readonly handle: Readonly<Record<string, string>>
}

/** A message of a person or another bot. */
export interface MessageEvent {
  readonly type: 'message'
  readonly address: Address
  /** Platform id of the message; what comes twice with it is one message. */
  readonly messageId: string
  /** Platform id of the delivery, if it differs from delivery to delivery. */
  readonly eventId?: string
  readonly sender: Sender
  /**
   * Text with our own mention removed and the others as `@Name`. May be empty when there are
   * attachments. Untrusted content that the sender did not type (quotes, forwards) is not in here.
   */
  readonly text: string
  readonly mentions: readonly Mention[]
  /** True when the bot itself is mentioned, by id. Always false for direct chats unless it really is. */
  readonly mentionsBot: boolean
  readonly mentionsAll: boolean
  readonly attachments: readonly Attachment[]
  /** Parent of a reply or quote; its content is fetched by {@link Adapter.hydrate} or came along. */
  readonly quoted?: {
    readonly messageId?: string
    readonly text?: string
    readonly attachments?: readonly Attachment[]
  }
  /** Something only {@link Adapter.hydrate} can open, such as a forwarded bundle. */
  readonly bundle?: Readonly<Record<string, string>>
  /** Locale key of a note when the content could not be read as a whole (sticker, hongbao, …). */
  readonly note?: {
    readonly key: string
    readonly params?: Readonly<Record<string, string>>
  }
  /** When the platform took the message, milliseconds. */
  readonly sentAt: number
  /** Set where `sentAt` is a property of the message itself, and so the same whenever it is delivered again. */
  readonly isSentAtFixed?: true
  /** What `OutboundMessage.replyTo` must carry to answer this message. */
  readonly replyTo: string
  /** For messages that the service writes in somebody's name: who else stands behind them. */
  readonly others?: readonly UserKey[]
  /** Set when a schedule's slot is the cause, not a person; then there is nothing to reply to. */
  readonly scheduled?: ScheduledOrigin
}

/** A click on a card of ours. Answered by a {@link Receipt}; never redelivered by the platforms. */
export interface ActionEvent {
  readonly type: 'action'
  readonly address: Address
  readonly eventId: string
  /** Who clicked, as the platform authenticated it. */
  readonly operator: Sender
  /** Message that holds the card, if the platform says so. */
  readonly messageId?: string
  /** The button's own value, exactly as we sent it. Untrusted: anyone can replay it. */
  readonly value: Readonly<Record<string, string>>
  /** Inputs of the card by name. */
  readonly form: Readonly<Record<string, string>>
  readonly sentAt: number
  /** Adapter's own data for updating the clicked card later; opaque. */
  readonly handle?: Readonly<Record<string, string>>
}

/** The bot was added to a chat or removed from it, or the chat was disbanded. */
export interface MembershipEvent {
  readonly type: 'bot_added' | 'bot_removed' | 'chat_disbanded' | 'chat_entered'
  readonly address: Address
  readonly eventId: string
  readonly operator?: Sender
  readonly sentAt: number
  /** What `OutboundMessage.replyTo` must carry to answer the event itself (WeCom welcome). */
  readonly replyTo?: string
}

/** A message was taken back by its sender or an administrator. */
export interface RecallEvent {
  readonly type: 'recalled'
  readonly address: Address
  readonly eventId: string
  /** Platform id of the message; also what its {@link MessageEvent.replyTo} was. */
  readonly messageId: string
  readonly sentAt: number
}

/** Somebody added an emoji to a message, or took it away. */
export interface ReactionEvent {
  readonly type: 'reaction'
  readonly address?: Address
  readonly eventId: string
  readonly messageId: string
  readonly operator: Sender
  readonly emoji: string
  readonly added: boolean
  readonly sentAt: number
}

/** A form of the company's approvals changed state (WeCom `sys_approval_change`). */
export interface OaApprovalEvent {
  readonly type: 'oa_approval'
  readonly botId: string
  readonly eventId: string
  readonly number: string
  readonly name: string
  readonly change: string
  readonly applicant: UserKey
  readonly sentAt: number
}

/** The sender's opinion of an answer (WeCom feedback). */
export interface FeedbackEvent {
  readonly type: 'feedback'
  readonly address: Address
  readonly eventId: string
  readonly operator: Sender
  readonly helpful: boolean | undefined
  readonly text: string
  readonly sentAt: number
}

/** Everything that an adapter hands in. */
export type InboundEvent =
  | MessageEvent
  | ActionEvent
  | MembershipEvent
  | RecallEvent
  | ReactionEvent
  | OaApprovalEvent
  | FeedbackEvent
