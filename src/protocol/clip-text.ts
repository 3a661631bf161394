/** Shortens text that people see. Pure. */

/**
 * The first `most` characters and a `…`, or the whole text if it is no longer. Counts code points, so that no
 * character is ever cut in two. For names, titles and previews; never for what somebody approves.
 */
export function clipText(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = [...text]
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text
}
