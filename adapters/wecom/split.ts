/** Cuts text by UTF-8 bytes: never inside a character, never leaving a code fence open. */

/** The largest length, in UTF-16 units, whose text is at most `maxBytes`; prefers the end of a line. */
export function cutPoint(text: string, maxBytes: number): number {
  if (Buffer.byteLength(text) <= maxBytes) return text.length
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  const line = text.lastIndexOf('\n', end - 1) + 1
  return line > end / 2 ? line : end
}

/** The opening line of the code fence that is still open at the end of `text`; undefined outside. */
export function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const fence = /^\s{0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    if (fence === null) continue
    if (open === undefined) open = line.trim()
    else if (line.trim().startsWith(markOf(open)) && fence[2]?.trim() === '') open = undefined
  }
  return open
}

/** Closes a fence that the cut left open. */
export function closeFence(text: string): string {
  const open = openFence(text)
  return open === undefined ? text : `${text.replace(/\n$/, '')}\n${markOf(open)}`
}

/** Parts of at most `maxBytes` each, which together hold the whole text. */
export function splitMarkdown(text: string, maxBytes: number): string[] {
  const parts: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > maxBytes) {
    const end = cutPoint(rest, maxBytes - FENCE_ROOM)
    const part = rest.slice(0, end)
    const open = openFence(part)
    parts.push(closeFence(part))
    rest = open === undefined ? rest.slice(end) : `${open}\n${rest.slice(end)}`
  }
  return rest === '' && parts.length > 0 ? parts : [...parts, rest]
}

/** Room for a closing fence, bytes. */
export const FENCE_ROOM = 16

function markOf(fence: string): string {
  return /^(`+|~+)/.exec(fence)?.[0].slice(0, 8) ?? '```'
}
