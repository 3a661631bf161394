/** One page of a long list: never cut silently, always with the way to go on. */
import type { ToolResult } from '../../protocol/tool.ts'

/** Characters of a page, so that its model copy is never cut again. */
const PAGE_CHARACTERS = 7_600

export interface Listing {
  /** What is listed, in the plural: `matches`, `files`. */
  readonly noun: string
  readonly items: readonly string[]
  /** All there are; at least the number of `items`. */
  readonly total: number
  /** False when the search ended early and `total` is a lower bound. */
  readonly complete: boolean
}

/** Items `offset` … `offset + limit`, fewer when they are long, under a line with the totals. */
export function page(listing: Listing, offset: number, limit: number): ToolResult {
  const { noun, items, complete, total } = listing
  if (total === 0)
    return { ok: true, text: complete ? `No ${noun}.` : `No ${noun} so far: the search ended early.` }
  const shown: string[] = []
  let characters = 0
  for (const item of items.slice(offset, offset + limit)) {
    if (characters + item.length > PAGE_CHARACTERS && shown.length > 0) break
    shown.push(item)
    characters += item.length + 1
  }
  const end = offset + shown.length
  const count = complete ? `${total} ${noun} in total` : `at least ${total} ${noun} (the search ended early)`
  const more = end < items.length ? `, use offset ${end} for more` : ''
  const lost = end >= items.length && total > items.length ? ', narrow the search to see the others' : ''
  return {
    ok: true,
    text: `${count}, ${shown.length} returned${more}${lost}\n${shown.join('\n')}`,
    ...(end < total ? { truncated: { total, returned: shown.length, next: end } } : {}),
  }
}
