/**
 * Keys that somebody pastes into a chat (K5). A group reads along, so the key is no secret any more;
 * what is left to do is not to keep it, not to hand it to a model, and to say so. Only unmistakable
 * shapes count: a password in plain words looks like any other word.
 */

import { chatKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import type { GatewayDeps } from './deps.ts'
import { notify } from './notice.ts'

const SHAPES = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
]
const ANY = new RegExp(SHAPES.map((shape) => shape.source).join('|'), 'g')

/** The same event when there is none; otherwise a copy in which every key is its beginning and its length. */
export function withoutKeys(event: MessageEvent): MessageEvent {
  const text = mask(event.text)
  const quoted = event.quoted?.text === undefined ? undefined : mask(event.quoted.text)
  if (text === event.text && quoted === event.quoted?.text) return event
  return {
    ...event,
    text,
    ...(event.quoted && quoted !== undefined ? { quoted: { ...event.quoted, text: quoted } } : {}),
  }
}

function mask(text: string): string {
  return text.replace(ANY, (key) => `${[...key].slice(0, 4).join('')}••••(${key.length})`)
}

/** Tells the chat once, whatever the message was. */
export async function warnOfKey(deps: GatewayDeps, event: MessageEvent, inboxId: number): Promise<void> {
  await notify(deps.outbox, deps.store.db, {
    key: `k-${event.address.botId}-${inboxId}`,
    address: event.address,
    markdown: deps.text(event.address.botId)('gateway.key_masked'),
    replyTo: event.replyTo,
  })
  deps.logger.warn({ chat: chatKey(event.address) }, 'a key was pasted into a chat; it was masked')
}
