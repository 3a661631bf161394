/** Text that is safe in every provider's JSON. */
import type { ContentPart } from '../protocol/model.ts'

/** Replaces lone surrogates, which several providers answer with a 400, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}

/** Text parts joined; pictures become a line when `images` is false. */
export function plainText(content: readonly ContentPart[]): string {
  const [first] = content
  // Nearly every message is one text: a long history has thousands.
  if (content.length === 1 && first?.type === 'text') return wellFormed(first.text)
  const lines = content.map((part) =>
    part.type === 'text' ? part.text : '[a picture is left out: this model takes no pictures]',
  )
  return wellFormed(lines.join('\n'))
}
