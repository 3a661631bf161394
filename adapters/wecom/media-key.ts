/**
 * Which key opens the media of a URL-callback bot. While keys are being rotated a file may be encrypted
 * with either; most likely it is the one that its message came with, so the message remembers which.
 */
import type { Attachment, MessageEvent } from '../../src/protocol/inbound.ts'
import type { AibotCallbackConfig } from './config.ts'

/** The name of a key, never the key: what is stored with a message holds no secret. */
const PREVIOUS = { key: 'previous' } as const

/** The message with its files marked as those of the key that is being rotated out. */
export function markPrevious(event: MessageEvent): MessageEvent {
  const mark = (one: Attachment): Attachment => ({ ...one, handle: { ...one.handle, ...PREVIOUS } })
  const { quoted } = event
  return {
    ...event,
    attachments: event.attachments.map(mark),
    ...(quoted && {
      quoted: { ...quoted, ...(quoted.attachments && { attachments: quoted.attachments.map(mark) }) },
    }),
  }
}

/** Keys to try, the likeliest first; none when the bytes are not encrypted. */
export function mediaKeys(
  handle: Attachment['handle'],
  bot: Pick<AibotCallbackConfig, 'encodingAesKey' | 'previous'> | undefined,
): readonly string[] {
  if (handle['aeskey'] !== undefined) return [handle['aeskey']]
  if (bot === undefined) return []
  const { previous } = bot
  const isOver =
    previous === undefined || Number(handle['at']) >= (previous.until ?? Number.POSITIVE_INFINITY)
  if (isOver) return [bot.encodingAesKey]
  const keys = [bot.encodingAesKey, previous.encodingAesKey]
  return handle['key'] === PREVIOUS.key ? keys.toReversed() : keys
}
