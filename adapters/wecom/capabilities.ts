/** What WeCom's ways out can take, as data for the house. */
import type { Capabilities } from '../../src/protocol/adapter.ts'
import { APP_TEXT_BYTES } from './app-calls.ts'
import { CARD_CODE_BYTES } from './card.ts'
import { isCallbackBot, isSocketBot, type WecomConfig } from './config.ts'
import { FILE_MAX_BYTES } from './file.ts'
import { CONTENT_BYTES } from './socket-calls.ts'
import { STREAM_MARGIN_MS } from './socket-route.ts'

/** Room for neutralised mentions and escapes, bytes. */
const RESERVE = 480

export function capabilitiesOf(config: WecomConfig): Capabilities {
  const chat = config.aibot !== undefined
  const files = isSocketBot(config.aibot) || config.app !== undefined || !isCallbackBot(config.aibot)
  return {
    markdownBytes: chat ? CONTENT_BYTES - RESERVE : APP_TEXT_BYTES,
    textBytes: chat ? CONTENT_BYTES / 2 : APP_TEXT_BYTES,
    cardCodeBytes: CARD_CODE_BYTES,
    tablesPerMessage: 100,
    fileBytes: files ? FILE_MAX_BYTES : 0,
    imageBytes: files ? config.imageBytes : 0,
    liveIntervalMs: 1_000,
    liveWindowMs: chat ? config.streamLimitSeconds * 1_000 - STREAM_MARGIN_MS : Number.POSITIVE_INFINITY,
    // The AI bot's cards change only within five seconds of a click; an app's card has a code of its own.
    cardsUpdatable: !chat && config.app !== undefined,
    continueInCard: false,
    idempotentSendMs: 0,
  }
}
