/** The last output of a terminal, bounded, and how much there has been. */
import { plainText } from './plain-text.ts'

export interface Snapshot {
  readonly data: string
  /** Characters put out since the start: a higher number than last time means that there is something new. */
  readonly sequence: number
  /** True when earlier output is not in `data`. */
  readonly truncated: boolean
}

export interface Screen {
  push(text: string): void
  snapshot(format: 'text' | 'ansi', maxChars: number): Snapshot
}

/** Characters kept; more than the longest snapshot, since codes take room too. */
const KEPT = 400_000
/** Raw characters looked at per character asked for: the rest is codes. */
const RAW_PER_CHARACTER = 4
const LEAST_RAW = 20_000

export function createScreen(): Screen {
  let kept = ''
  let sequence = 0
  return {
    push: (text) => {
      sequence += text.length
      kept += text
      // Cut now and then only, so that a flood is not copied for every chunk.
      if (kept.length > KEPT * 2) kept = kept.slice(-KEPT).toWellFormed()
    },
    snapshot: (format, maxChars) => {
      if (format === 'ansi') {
        const data = tail(kept, maxChars)
        return { data, sequence, truncated: sequence > data.length }
      }
      const raw = wholeLines(kept, Math.max(LEAST_RAW, maxChars * RAW_PER_CHARACTER))
      const text = plainText(raw)
      const data = tail(text, maxChars)
      return { data, sequence, truncated: sequence > raw.length || text.length > data.length }
    },
  }
}

function tail(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(-most)
  // Never begins with the second half of a character.
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut
}

/** The end of the output from a line's start on, so that no half sequence is played. */
function wholeLines(raw: string, most: number): string {
  if (raw.length <= most) return raw
  const cut = raw.slice(-most)
  const newline = cut.indexOf('\n')
  return newline === -1 ? cut : cut.slice(newline + 1)
}
