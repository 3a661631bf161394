/** A cell in a table for people. */
import type { Locale } from '../protocol/ports.ts'
import { exactNumber } from './number.ts'
import { type Cell, labelOf } from './table.ts'

/** Years, codes and ids are numbers too: only what has a unit, a point or five digits gets separators. */
export function cellText(cell: Cell, unit: string | undefined, locale: Locale): string {
  if (typeof cell !== 'number') return labelOf(cell)
  if (unit === '%') return exactNumber(cell, { locale, unit })
  if (unit === undefined && Number.isInteger(cell) && Math.abs(cell) < 10_000) return String(cell)
  return exactNumber(cell, { locale })
}
