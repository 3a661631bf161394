import { closingFence, segment } from './segments.ts'

/** One markdown element longer than about 10,000 characters may be shortened by the client unseen. */
const ELEMENT_CHARS = 8_000

/**
 * Cuts markdown into element-sized parts at line borders; a fence that is cut is closed and opened
 * again. A single longer line is cut between code points.
 */
export function chunkMarkdown(markdown: string, limit = ELEMENT_CHARS): string[] {
  if (markdown.length <= limit) return markdown ? [markdown] : []
  const chunks: string[] = []
  let current: string[] = []
  let size = 0
  const flush = (): void => {
    if (current.some((line) => line !== '')) chunks.push(current.join('\n'))
    current = []
    size = 0
  }
  for (const part of segment(markdown)) {
    const fence = part.fence
    const open = (): void => {
      if (fence === undefined) return
      current.push(fence)
      size += fence.length + 1
    }
    open()
    for (const line of part.lines.flatMap((whole) => cutLine(whole, limit - 200))) {
      if (size + line.length + 8 > limit) {
        if (fence !== undefined) current.push(closingFence(fence))
        flush()
        open()
      }
      current.push(line)
      size += line.length + 1
    }
    if (fence !== undefined) current.push(closingFence(fence))
  }
  flush()
  return chunks
}

function cutLine(line: string, limit: number): string[] {
  if (line.length <= limit) return [line]
  const points = [...line]
  const parts: string[] = []
  for (let at = 0; at < points.length; at += Math.floor(limit / 2)) {
    parts.push(points.slice(at, at + Math.floor(limit / 2)).join(''))
  }
  return parts
}
