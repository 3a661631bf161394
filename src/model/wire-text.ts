/** Text that is safe in every provider's JSON, and arguments that are safe in every history. */
import type { ContentPart } from '../protocol/model.ts'

/** Replaces lone surrogates, which several providers answer with a 400, by U+FFFD. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}

/** Text parts joined; pictures become a line when `images` is false. */
export function plainText(content: readonly ContentPart[]): string {
  const lines = content.map((part) =>
    part.type === 'text' ? part.text : '[a picture is left out: this model takes no pictures]',
  )
  return wellFormed(lines.join('\n'))
}

/** A call's arguments as an object: broken or non-object JSON is wrapped, never passed on as it is. */
export function argumentsObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (isRecord(value)) return value
  } catch {
    // Broken JSON is the model's own; the wrapped form shows it what it wrote.
  }
  return json.trim() === '' ? {} : { invalid_json: wellFormed(json).slice(0, 2_000) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
