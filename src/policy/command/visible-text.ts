/** Characters that people cannot see or would take for others, and how a card shows them. */

/**
 * Control, format, Default_Ignorable, separators, surrogates, U+2800, and blanks other than the space.
 * No single Unicode property covers fillers such as U+3164 and the blank braille pattern.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u
const HIDDEN_ALL = new RegExp(HIDDEN.source, 'gu')
/** A run of blanks or newlines long enough to push the rest of a command out of sight. */
const LONG_BLANK = /( {12,})|(\n{4,})|(\t{6,})/g
const LATIN = /\p{Script=Latin}/u
const LOOKALIKE_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
/** Full-width ASCII and the Greek question mark, which normalise to characters that mean something to a shell. */
const LOOKALIKE_SIGN = /[\u037E\uFF01-\uFF5E]/

/** The first hidden character, as `\u{202E}`; tabs and newlines are not hidden. */
export function firstHidden(text: string): string | undefined {
  const rest = text.replace(/[\t\n]/g, ' ')
  const found = HIDDEN.exec(rest)?.[0]
  return found === undefined ? undefined : escapeOf(found)
}

/** A word that mixes Latin with letters that look like Latin, or a sign that looks like a shell's. */
export function firstLookalike(text: string): string | undefined {
  const sign = LOOKALIKE_SIGN.exec(text)?.[0]
  if (sign !== undefined) return sign
  return text.split(/[^\p{L}\p{N}]+/u).find((word) => LATIN.test(word) && LOOKALIKE_SCRIPT.test(word))
}

/** Text as a person must see it: hidden characters as escapes, long runs of blanks as a count. */
export function showText(text: string): string {
  return text
    .replace(LONG_BLANK, (run, blanks?: string, lines?: string) => {
      if (blanks !== undefined) return `␠×${run.length}`
      return lines === undefined ? `␉×${run.length}` : `⏎×${run.length}\n`
    })
    .replace(HIDDEN_ALL, (char) => (char === '\n' || char === '\t' ? char : escapeOf(char)))
}

function escapeOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`
}
