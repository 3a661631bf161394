/**
 * Patterns of well-known credentials (API keys, tokens, private keys). Only unmistakable shapes are listed: a
 * password cannot be told from any other word.
 */

/** Tokens and API keys by their prefix. The sources have no capturing group. */
export const TOKEN_SHAPES: readonly RegExp[] = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  // JSON Web Tokens. The lookbehind keeps the search linear: without it, every `eyJ` within a long run of such
  // characters would start a scan to the end of the run.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
]
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/
/** Compiled once, because that costs more than searching a message. `replace` and `match` reset its position. */
const KEYS = new RegExp([...TOKEN_SHAPES, PRIVATE_KEY].map(({ source }) => source).join('|'), 'g')

/** The text with every key as its beginning and its length. */
export function maskKeys(text: string): string {
  return text.replace(KEYS, maskKey)
}

/** The keys in a text, masked, at most `most`; none when it holds none. */
export function keysIn(text: string, most: number): string[] {
  return (text.match(KEYS) ?? []).slice(0, most).map(maskKey)
}

function maskKey(key: string): string {
  return `${[...key].slice(0, 4).join('')}••••(${key.length})`
}
