import { wholeEnd } from './model-copy.ts'

const LONGEST = 120

/**
 * A text as one short line for the step list, without control, format and bidirectional characters. The whole text
 * is in the approval and the log.
 */
export function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length <= LONGEST ? line : `${line.slice(0, wholeEnd(line, LONGEST))}…`
}
