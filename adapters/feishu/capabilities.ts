import type { Capabilities } from '../../src/protocol/adapter.ts'

/** Largest `content` of a card or post: documented as 30 KB; the round number leaves a little room. */
export const CARD_BYTES = 30_000

/** Largest body of a text message is 150 KB; what our JSON adds is far below the difference. */
export const TEXT_BYTES = 140_000

/** Largest upload as a file (`im/v1/files`), in bytes. */
export const FILE_BYTES = 30 * 1024 * 1024
/** Largest upload as a picture (`im/v1/images`), in bytes. */
export const IMAGE_BYTES = 10 * 1024 * 1024

/** Tables one card may show; a sixth one is refused with 230099/11310. */
export const TABLES = 5

/**
 * What Feishu takes. The byte numbers of markdown and code are well below {@link CARD_BYTES}, because
 * line breaks and quotes take two bytes in the card's JSON, and neutralised characters five.
 */
export const capabilities: Capabilities = {
  markdownBytes: 22_000,
  textBytes: 100_000,
  cardCodeBytes: 13_000,
  tablesPerMessage: TABLES,
  fileBytes: FILE_BYTES,
  imageBytes: IMAGE_BYTES,
  // 10 operations a second on one card; 112 ms keeps an 11th call out of every window.
  liveIntervalMs: 112,
  // Streaming closes after ten minutes and is opened again; the card itself changes for 14 days.
  liveWindowMs: 14 * 86_400_000,
  cardsUpdatable: true,
  continueInCard: true,
  // `uuid` of create and reply is remembered for one hour.
  idempotentSendMs: 3_600_000,
}
