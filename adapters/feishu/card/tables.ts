import type { Segment } from './segments.ts'

const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/**
 * Finds the pipe tables of some prose and turns all but the first `limit` into code. `shown` counts
 * the tables that stay tables.
 */
export function fenceTables(
  lines: readonly string[],
  limit: number,
): { readonly segments: readonly Segment[]; readonly shown: number } {
  const segments: Segment[] = []
  let prose: string[] = []
  let shown = 0
  for (let at = 0; at < lines.length; at++) {
    const end = tableEnd(lines, at)
    const line = lines[at] ?? ''
    if (end === undefined) {
      prose.push(line)
      continue
    }
    const table = lines.slice(at, end)
    at = end - 1
    if (shown < limit) {
      shown += 1
      prose.push(...table)
      continue
    }
    if (prose.length > 0) segments.push({ type: 'prose', lines: prose })
    prose = []
    segments.push({ type: 'code', lines: table, fence: '```' })
  }
  if (prose.length > 0) segments.push({ type: 'prose', lines: prose })
  return { segments, shown }
}

/** Index behind the table that begins at `at`, or undefined when none begins there. */
function tableEnd(lines: readonly string[], at: number): number | undefined {
  const [head, delimiter] = [lines[at], lines[at + 1]]
  if (!head?.includes('|') || !delimiter?.includes('-') || !delimiter.includes('|')) return undefined
  if (!DELIMITER.test(delimiter)) return undefined
  let end = at + 2
  while (lines[end]?.includes('|')) end += 1
  return end
}
