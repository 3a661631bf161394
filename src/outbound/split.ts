/**
 * Cuts markdown into messages by bytes. A cut never falls inside a code point, never leaves a code
 * fence open, and never parts a table from its header: the piece that goes on repeats both.
 */
import type { Capabilities } from '../protocol/adapter.ts'

const FENCE = /^(\s{0,3})(`{3,}|~{3,})(.*)$/
const TABLE_RULE = /^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$/

/** Pieces of at most `limits.markdownBytes` bytes; tables over the limit per message become code. */
export function splitMarkdown(
  markdown: string,
  limits: Pick<Capabilities, 'markdownBytes' | 'tablesPerMessage'>,
): string[] {
  if (bytes(markdown) <= limits.markdownBytes && countTables(markdown) <= limits.tablesPerMessage)
    return [markdown]
  const pieces: string[] = []
  let piece = emptyPiece()
  const close = (): void => {
    const text = piece.lines.join('\n') + (piece.fence ? `\n${piece.fence.marker}` : '')
    if (text.trim() !== '') pieces.push(text)
    piece = continuation(piece)
  }
  for (const block of blocks(markdown)) {
    for (const line of fitLines(block.line, limits.markdownBytes)) {
      const opensTable = block.startsTable && piece.tables >= limits.tablesPerMessage
      if (opensTable || sizeWith(piece, line) > limits.markdownBytes) close()
      push(piece, line, block.startsTable)
    }
  }
  close()
  return pieces
}

/** Tables in a markdown text, fences excluded. */
export function countTables(markdown: string): number {
  return blocks(markdown).filter((block) => block.startsTable).length
}

interface Piece {
  lines: string[]
  /** The fence that is open at the end, with the opening line. */
  fence: { opening: string; marker: string } | undefined
  /** Header and rule of the table that the last line belongs to. */
  table: readonly string[] | undefined
  tables: number
  size: number
}

interface Line {
  readonly line: string
  readonly startsTable: boolean
}

function emptyPiece(): Piece {
  return { lines: [], fence: undefined, table: undefined, tables: 0, size: 0 }
}

/** A new piece that continues the last one: it reopens its code fence and repeats its table header. */
function continuation(last: Piece): Piece {
  const piece = emptyPiece()
  if (last.fence) push(piece, last.fence.opening, false)
  else if (last.table) {
    for (const line of last.table) push(piece, line, false)
    piece.tables = 1
    piece.table = last.table
  }
  return piece
}

function push(piece: Piece, line: string, startsTable: boolean): void {
  const fence = FENCE.exec(line)
  if (fence) {
    const marker = fence[2] ?? '```'
    if (!piece.fence) piece.fence = { opening: line, marker }
    else if (marker.startsWith(piece.fence.marker) && (fence[3] ?? '').trim() === '') piece.fence = undefined
  }
  if (!piece.fence && TABLE_RULE.test(line) && line.includes('-')) {
    const header = piece.lines.at(-1)
    if (header?.includes('|')) piece.table = [header, line]
  } else if (!line.includes('|')) piece.table = undefined
  if (startsTable) piece.tables++
  piece.lines.push(line)
  piece.size += bytes(line) + 1
}

function sizeWith(piece: Piece, line: string): number {
  const closing = piece.fence ? bytes(piece.fence.marker) + 1 : 0
  return piece.size + bytes(line) + closing
}

/** Lines, each with whether a table begins on it. */
function blocks(markdown: string): Line[] {
  const lines = markdown.split('\n')
  let fence: string | undefined
  return lines.map((line, index) => {
    const marker = FENCE.exec(line)?.[2]
    if (marker) fence = fence === undefined ? marker : marker.startsWith(fence) ? undefined : fence
    const next = lines[index + 1] ?? ''
    return {
      line,
      startsTable: fence === undefined && line.includes('|') && next.includes('-') && TABLE_RULE.test(next),
    }
  })
}

/** A line that is longer than a message is cut between code points, with room for a fence. */
function fitLines(line: string, limit: number): string[] {
  const room = Math.max(64, limit - 64)
  if (bytes(line) <= room) return [line]
  const parts: string[] = []
  let part = ''
  let size = 0
  for (const character of line) {
    const width = bytes(character)
    if (size + width > room) {
      parts.push(part)
      part = ''
      size = 0
    }
    part += character
    size += width
  }
  parts.push(part)
  return parts
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
