/** A button's value as a `key` (≤ 1,024 bytes, comes back as `event_key`), and the way back. */

/** Key of the only button of a decided card: it cannot be disabled, so its clicks are dropped. */
export const NOOP_KEY = 'noop'

export function encodeButton(value: Readonly<Record<string, string>>): string {
  return new URLSearchParams(value).toString()
}

export function decodeButton(key: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(key))
}
