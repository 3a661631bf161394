/**
 * What keys of services look like, whoever they belong to. Only unmistakable shapes count: a password in plain
 * words looks like any other word.
 */

const SHAPES = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  // Begins where its letters begin: at every `eyJ` of a long run it would read the run to its end again.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/,
]
/** Made once: to make it costs more than to look through a message. For `replace` and `match`, which begin anew. */
const KEYS = new RegExp(SHAPES.map((shape) => shape.source).join('|'), 'g')

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
