/** Sends a card's content as text in chats where the platform refuses cards. */
import type { Adapter, SendOptions } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../protocol/outbound.ts'
import { cardAsMarkdown } from './card-text.ts'

/** Sends the card, or its content as markdown if the platform refuses cards in this chat: an approval must reach somebody. */
export async function sendCardOrText(
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
