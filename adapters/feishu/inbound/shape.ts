/**
 * Looks at the shape of what nearly every event is: a message of people, as documented. A schema makes a new
 * object of each object and a result of each field; that is most of what reading an event costs. What does not
 * have this shape goes through the schema, which alone says what is taken: here `true` only means that the
 * schema would give back the same fields.
 */

/** Any object but a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether `value` is something to read. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Text, possibly empty; or nothing. */
export function isMaybeText(value: unknown): value is string | null | undefined {
  return typeof value === 'string' || value === undefined || value === null
}

/** Nothing, or one person's ids. */
export function isMaybePerson(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return (
    isRecord(value) && isMaybeText(value.open_id) && isMaybeText(value.user_id) && isMaybeText(value.union_id)
  )
}

/** Nothing, or the mentions of one message as events carry them. */
export function areMaybeMentions(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) && value.every(isMention)
}

function isMention(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.key === 'string' &&
    isMaybeText(value.name) &&
    isMaybeText(value.mentioned_type) &&
    isRecord(value.id) &&
    isMaybeText(value.id.open_id)
  )
}
