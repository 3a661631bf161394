/** Names under which the model calls tools of other servers: ours, never theirs (M2). */
import { createHash } from 'node:crypto'

/** Longest name that every model provider takes. */
const LONGEST = 64
const DIGEST = 6

/**
 * `mcp__<server>__<tool>`. What is not a letter, digit, `-` or `_` becomes `_`, and whatever had to be
 * changed or cut carries a digest of the original, so that two names never meet, in whatever order
 * they come. Tools of one server that differ by case only all carry a digest.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = `mcp__${part(server.toLowerCase(), server, 24)}__`
  const twins = new Map<string, number>()
  for (const tool of tools) twins.set(tool.toLowerCase(), (twins.get(tool.toLowerCase()) ?? 0) + 1)
  return new Map(
    tools.map((tool) => {
      const room = LONGEST - prefix.length
      const twin = (twins.get(tool.toLowerCase()) ?? 0) > 1
      return [tool, prefix + (twin ? marked(clean(tool), tool, room) : part(tool, tool, room))]
    }),
  )
}

function part(text: string, original: string, room: number): string {
  const cleaned = clean(text)
  return cleaned === original && cleaned.length <= room ? cleaned : marked(cleaned, original, room)
}

/** No underscore at the ends and no two in a row: `__` is what parts the name. */
function clean(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_|_$/g, '')
}

function marked(cleaned: string, original: string, room: number): string {
  const digest = createHash('sha256').update(original).digest('hex').slice(0, DIGEST)
  const head = cleaned.slice(0, room - DIGEST - 1).replace(/_$/, '')
  return head === '' ? `x_${digest}` : `${head}_${digest}`
}
