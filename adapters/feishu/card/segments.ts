/** A run of lines that is either prose or one fenced block with its fence lines. */
export interface Segment {
  readonly type: 'prose' | 'code'
  readonly lines: readonly string[]
  /** Opening fence with its language, e.g. "```sh"; only for code. */
  readonly fence?: string
  /** True when the text ended before the fence was closed, as it does while an answer streams. */
  readonly open?: boolean
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** Cuts markdown at its code fences. A fence that is never closed runs to the end. */
export function segment(markdown: string): Segment[] {
  const segments: Segment[] = []
  let prose: string[] = []
  let code: { fence: string; marker: string; lines: string[] } | undefined
  const endProse = (): void => {
    if (prose.length > 0) segments.push({ type: 'prose', lines: prose })
    prose = []
  }
  for (const line of markdown.replace(/\r\n?/g, '\n').split('\n')) {
    const [, marker, info = ''] = FENCE.exec(line) ?? []
    if (!code) {
      if (marker && !(marker.startsWith('`') && info.includes('`'))) {
        endProse()
        code = { fence: `${marker}${info.trim()}`, marker, lines: [] }
      } else prose.push(line)
      continue
    }
    const closes = marker?.startsWith(code.marker) && info.trim() === ''
    if (!closes) {
      code.lines.push(line)
      continue
    }
    segments.push({ type: 'code', lines: code.lines, fence: code.fence })
    code = undefined
  }
  if (code) segments.push({ type: 'code', lines: code.lines, fence: code.fence, open: true })
  endProse()
  return segments
}

/** Closing line for an opening fence. */
export function closingFence(fence: string): string {
  return (/^(`+|~+)/.exec(fence) ?? ['```'])[0]
}
