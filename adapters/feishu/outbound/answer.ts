import { Buffer } from 'node:buffer'
import type { Address } from '../../../src/protocol/address.ts'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type { SentMessage } from '../../../src/protocol/outbound.ts'
import type { Api } from '../api/client.ts'
import type { CallOptions } from '../api/message.ts'
import { CARD_BYTES, TABLES, TEXT_BYTES } from '../capabilities.ts'
import { paintAnswer, paintLiteralAnswer } from '../card/answer.ts'
import { cardBytes } from '../card/element.ts'
import { breakMentions } from '../card/literal.ts'
import { platformCode } from '../errors.ts'
import { deliver } from './target.ts'

interface Outgoing {
  readonly to: Address
  readonly replyTo: string | undefined
}

/** Sends plain text, in which nothing can mention anybody. */
export async function sendText(
  api: Api,
  outgoing: Outgoing,
  text: string,
  options: CallOptions,
): Promise<SentMessage> {
  const content = { text: breakMentions(text) || '…' }
  if (Buffer.byteLength(JSON.stringify(content)) > TEXT_BYTES) {
    throw new AppError('feishu.too_long', 'a text message may have 150 KB', {
      hint: 'Send it in parts or as a file.',
    })
  }
  const messageId = await deliver(api, outgoing.to, { msgType: 'text', content }, outgoing.replyTo, options)
  return { messageId, handle: { mode: 'text' } }
}

/**
 * Sends markdown as a card. What Feishu refuses is tried with every table as code, then without any
 * markup, then as a text message: an answer is never lost over its looks.
 */
export async function sendMarkdown(
  api: Api,
  outgoing: Outgoing,
  markdown: string,
  options: CallOptions,
): Promise<SentMessage> {
  const paints = [
    () => paintAnswer(markdown, TABLES),
    () => paintAnswer(markdown, 0),
    () => paintLiteralAnswer(markdown),
  ]
  for (const paint of paints) {
    const card = paint()
    if (cardBytes(card) > CARD_BYTES) continue
    try {
      const content = { msgType: 'interactive' as const, content: card }
      const messageId = await deliver(api, outgoing.to, content, outgoing.replyTo, options)
      return { messageId, handle: { mode: 'patch' } }
    } catch (error) {
      if (!isRefusedCard(error)) throw error
    }
  }
  return sendText(api, outgoing, markdown, options)
}

/** Also the answer to a link or an element that Feishu does not like. */
const INVALID_PARAMETER = 230001

/** True when Feishu did not like the card itself, so that a simpler one may pass. */
export function isRefusedCard(error: unknown): boolean {
  return (
    isAppError(error, 'feishu.card_refused') ||
    isAppError(error, 'feishu.too_long') ||
    platformCode(error) === INVALID_PARAMETER
  )
}
