/** Under which keys messages are known: the one of its row, and the one that its id alone gives. */
import type { MessageEvent } from '../protocol/inbound.ts'

const TIME_DIGITS = 13

/** `<bot>:m:<message id>`: what a recall knows of its message. */
export function idKey(botId: string, messageId: string): string {
  return `${botId}:m:${messageId}`
}

/**
 * The dedupe key of a message's row: {@link idKey}, and before the id the moment, where every delivery of the
 * message says the same. Ids are random; with the moment first, the unique index grows at its end, and an event
 * does not have to write a page of its own in an index of a week's events.
 */
export function dedupeKey({ address, messageId, sentAt, isSentAtFixed }: MessageEvent): string {
  if (!isSentAtFixed) return idKey(address.botId, messageId)
  return idKey(address.botId, `${String(sentAt).padStart(TIME_DIGITS, '0')}:${messageId}`)
}
