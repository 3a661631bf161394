/** A call's arguments as every provider takes them back: one JSON object. */

const SHOWN = 2_000

/**
 * Parses a model's arguments. Broken or non-object JSON is wrapped as `{ invalid_json }`, so that a
 * history never holds truncated JSON and the model still sees what it wrote. Empty text is `{}`.
 */
export function argumentsObject(json: string): Record<string, unknown> {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    if (isRecord(value)) return value
  } catch {
    // Broken JSON is the model's own and is shown to it below.
  }
  return { invalid_json: json.slice(0, SHOWN).toWellFormed() }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
