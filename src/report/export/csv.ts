/** A table as CSV for office programs: UTF-8 with its mark, CRLF, formulas made harmless. Pure. */
import type { Cell } from '../table.ts'
import { harmlessText } from './formula.ts'

export function csvOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): Uint8Array {
  const lines = [columns, ...rows].map((row) => row.map(field).join(','))
  return Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`.toWellFormed(), 'utf8')
}

function field(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' ? harmlessText(cell) : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
