/** How many tokens a text probably is. Deliberately a little too many. Pure. */

/** Han, kana and hangul cost about a token each; everything else about four characters to one. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g
const WIDE_TOKENS = 0.9
const NARROW_TOKENS = 0.3

/** Tokens of a text, estimated high. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return Math.ceil(wide * WIDE_TOKENS + (text.length - wide) * NARROW_TOKENS)
}

/** Tokens of a picture, as the large providers count a middle-sized one. */
export const IMAGE_TOKENS = 1_600
