/**
 * Agent markdown → card markdown that can neither mention anybody, nor show a picture of unknown
 * origin, nor break the card. Pure; knows Feishu's dialect, not where the text came from.
 */
import { breakMentions } from './literal.ts'
import { closingFence, type Segment, segment } from './segments.ts'
import { fenceTables } from './tables.ts'

/**
 * Neutralised markdown with at most `tables` tables; further tables are shown as code, so nothing is
 * lost. The result keeps every line of the input. While `growing`, a fence at the end stays open: the
 * typewriter goes on only if the old text is a prefix of the new one.
 */
export function cardMarkdown(markdown: string, tables: number, growing = false): string {
  let left = tables
  const parts = segment(markdown).flatMap((part) => {
    if (part.type === 'code') return renderCode(part, growing)
    const fenced = fenceTables(part.lines, left)
    left -= fenced.shown
    return fenced.segments.flatMap((piece) =>
      piece.type === 'code' ? renderCode(piece, false) : piece.lines.map(neutraliseLine),
    )
  })
  return parts.join('\n')
}

function renderCode(code: Segment, growing: boolean): string[] {
  const fence = (code.fence ?? '```').replace(/[<>]/g, '')
  const lines = [fence, ...code.lines.map(breakMentions)]
  return code.open && growing ? lines : [...lines, closingFence(fence)]
}

/** Inline code keeps its characters, the rest loses tags, pictures and unusable links. */
function neutraliseLine(line: string): string {
  const pieces = line.split(/(`+[^`]+`+)/)
  return pieces
    .map((piece, index) => (index % 2 === 1 ? breakMentions(piece) : neutraliseProse(piece)))
    .join('')
}

function neutraliseProse(text: string): string {
  return text
    .replace(LINK_OR_PICTURE, (_, label: string, target: string) => link(label, target))
    .replace(/</g, '&#60;')
    .replace(BARE_URL_BEFORE_CJK, '$1 ')
}

/** Lengths are bounded so that no line makes the search slow. */
const LINK_OR_PICTURE = /!?\[([^[\]]{0,500})\]\(([^)\n]{0,2000})\)/g

/** A bare address swallows Chinese characters that follow it directly. */
const BARE_URL_BEFORE_CJK =
  /(https?:\/\/[\w\-.~:/?#@!$&*+,;=%]{1,2000})(?=[\u3000-\u303f\u3400-\u9fff\uff00-\uffef])/g

/** Links must be http or https, else the whole card is refused as "invalid href"; pictures become links. */
function link(label: string, target: string): string {
  const address = /^\s*(https?:\/\/[^\s/]\S*)(?:\s+"[^"]*")?\s*$/i.exec(target)?.[1]
  if (address) return `[${label || address}](${address})`
  return label ? `${label} (${target})` : target
}
