/** A card where cards are refused: the same words as a message. */
import type { Adapter, SendOptions } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../protocol/outbound.ts'
import { cardAsMarkdown } from './card-text.ts'

/** A card that the platform refuses in this chat is said in words: an approval must reach somebody. */
export async function sendOrSay(
  adapter: Adapter,
  to: Address,
  message: OutboundMessage,
  options: SendOptions,
): Promise<SentMessage> {
  try {
    return await adapter.send(to, message, options)
  } catch (error) {
    if (message.type !== 'card' || !(error instanceof AppError) || !error.code.endsWith('.card_refused'))
      throw error
    const envelope = message.replyTo === undefined ? {} : { replyTo: message.replyTo }
    return adapter.send(
      to,
      { type: 'markdown', markdown: cardAsMarkdown(message.card), ...envelope },
      options,
    )
  }
}
