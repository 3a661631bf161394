/** Sizes and colours of charts, made for a phone held upright: about half of these sizes, in points. */

import type { Locale } from '../../protocol/ports.ts'
import { axisNumber, shortNumber } from '../number.ts'

export const WIDTH = 750
export const TEXT = 22
export const SMALL = 20
export const INK = '#1f2329'
export const FAINT = '#646a73'
export const RULE = '#e5e6eb'
export const TARGET = '#e5484d'

/** Told apart also by people who see red and green alike, and in grey print. */
export const COLOURS = [
  '#3370ff',
  '#f5a524',
  '#12b5a6',
  '#8a63d2',
  '#e8605a',
  '#4bb4e6',
  '#8f959e',
  '#b3a125',
]

/** Bars and slices beyond these are summed up as "other". */
export const MOST_BARS = 15
export const MOST_SLICES = 7

export interface Style {
  readonly locale: Locale
  readonly unit: string | undefined
  /** Word for everything beyond the most. */
  readonly other: string
  readonly total: string
  readonly target: string
}

export function valueLabel(value: number | null | undefined, style: Style): string {
  if (value === null || value === undefined) return ''
  // The unit stands in the title; here only digits, or the chart drowns in units.
  return style.unit === '%'
    ? shortNumber(value, { locale: style.locale, unit: '%' })
    : axisNumber(value, style.locale)
}

/** Visible width of a text in letters of the Latin alphabet: Chinese characters count twice. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += (character.codePointAt(0) ?? 0) > 0x2e7f ? 2 : 1
  return width
}

/** Cut to a width, never inside a character. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let cut = ''
  for (const character of text) {
    if (textWidth(cut + character) > width - 1) break
    cut += character
  }
  return `${cut}…`
}

/** `2026-11-29` becomes `11-29` when all labels are days of one year. */
export function shortDates(labels: readonly string[]): readonly string[] {
  const days = labels.map((label) =>
    /^(\d{4})-(\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00)?)?$/.exec(label),
  )
  const years = new Set(days.map((day) => day?.[1]))
  if (labels.length === 0 || years.size !== 1 || years.has(undefined)) return labels
  return days.map((day) => day?.[2] ?? '')
}
