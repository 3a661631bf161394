import type { Receipt } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { Logger } from '../../src/protocol/ports.ts'
import { paintCard } from './card/card.ts'

/** What Feishu wants answered to a click: a toast, a card of the same schema, both, or `{}`. */
export function paintReceipt(receipt: Receipt, logger: Logger): object {
  const { toast, card } = receipt
  if (!toast && !card) return {}
  return {
    ...(toast ? { toast: { type: toast.tone, content: toast.text } } : {}),
    ...(card ? paintReplacement(card, logger) : {}),
  }
}

/** The decision is taken already; a card that cannot be painted must not turn it into an error. */
function paintReplacement(card: NonNullable<Receipt['card']>, logger: Logger): object {
  try {
    return { card: { type: 'raw', data: paintCard(card) } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    logger.warn({ err: error }, 'feishu card of a click could not be painted')
    return {}
  }
}
