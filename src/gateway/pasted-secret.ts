/**
 * Keys that somebody pastes into a chat (K5). A group reads along, so the key is no secret any more;
 * what is left to do is not to keep it, not to hand it to a model, and to say so.
 */

import { chatKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import { maskKeys } from '../protocol/key-shapes.ts'
import type { GatewayDeps } from './deps.ts'
import { notify } from './notice.ts'

/** The same event when there is none; otherwise a copy in which every key is its beginning and its length. */
export function withoutKeys(event: MessageEvent): MessageEvent {
  const text = maskKeys(event.text)
  const quoted = event.quoted?.text === undefined ? undefined : maskKeys(event.quoted.text)
  if (text === event.text && quoted === event.quoted?.text) return event
  return {
    ...event,
    text,
    ...(event.quoted && quoted !== undefined ? { quoted: { ...event.quoted, text: quoted } } : {}),
  }
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
