/**
 * Platform JSON → InboundEvent. Pure: no clock, no network, no state. Knows every field name of
 * Feishu's events; decides nothing about who may speak, and never keeps a payload.
 */
import type { InboundEvent } from '../../../src/protocol/inbound.ts'
import { readAction } from './action.ts'
import { readMembership, readReaction, readRecall } from './chat.ts'
import { type Envelope, type InboundContext, readEnvelope } from './envelope.ts'
import { readMessage } from './message.ts'

/** `ignored` is acknowledged and dropped; `reason` is for the log only. */
type Reading =
  | { readonly type: 'event'; readonly event: InboundEvent }
  | { readonly type: 'ignored'; readonly reason: string }

type Reader = (envelope: Envelope, context: InboundContext) => InboundEvent | undefined

const READERS = new Map<string, Reader>([
  ['im.message.receive_v1', readMessage],
  ['card.action.trigger', readAction],
  ['im.message.recalled_v1', readRecall],
  ['im.message.reaction.created_v1', (envelope, context) => readReaction(true, envelope, context)],
  ['im.message.reaction.deleted_v1', (envelope, context) => readReaction(false, envelope, context)],
  ['im.chat.member.bot.added_v1', (envelope, context) => readMembership('bot_added', envelope, context)],
  ['im.chat.member.bot.deleted_v1', (envelope, context) => readMembership('bot_removed', envelope, context)],
  ['im.chat.disbanded_v1', (envelope, context) => readMembership('chat_disbanded', envelope, context)],
  [
    'im.chat.access_event.bot_p2p_chat_entered_v1',
    (envelope, context) => readMembership('chat_entered', envelope, context),
  ],
])

/** Reads one decrypted payload of ours. Types that nobody here needs are acknowledged and dropped. */
export function readEvent(payload: unknown, context: InboundContext): Reading {
  const envelope = readEnvelope(payload)
  if (!envelope) return { type: 'ignored', reason: 'not an event of schema 2.0' }
  const { header } = envelope
  if (header.app_id !== context.appId) return { type: 'ignored', reason: 'event of another app' }
  const reader = READERS.get(header.event_type)
  if (!reader) return { type: 'ignored', reason: `no use for ${header.event_type}` }
  const event = reader(envelope, context)
  return event
    ? { type: 'event', event }
    : { type: 'ignored', reason: `own or unreadable ${header.event_type}` }
}
