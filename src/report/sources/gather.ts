/** Collects rows up to the limits and says when one ended the reading. */
import type { Cell, Table } from '../table.ts'
import type { ReadLimits } from './source.ts'

export interface Gatherer {
  /** False when the row is one too many: stop reading. */
  add(row: readonly unknown[]): boolean
  table(columns: readonly string[]): Table
}

export function createGatherer(limits: Pick<ReadLimits, 'rows' | 'bytes'>): Gatherer {
  const rows: Cell[][] = []
  let bytes = 0
  let cut: Table['cut']
  return {
    add: (row) => {
      if (cut !== undefined) return false
      const cells = row.map(cellOf)
      bytes += cells.reduce<number>((sum, cell) => sum + sizeOf(cell), 0)
      if (rows.length >= limits.rows) cut = { by: 'rows', limit: limits.rows }
      else if (bytes > limits.bytes) cut = { by: 'bytes', limit: limits.bytes }
      if (cut !== undefined) return false
      rows.push(cells)
      return true
    },
    table: (columns) => ({ columns, rows, ...(cut && { cut }) }),
  }
}

/** What drivers hand out, as a cell: big numbers stay exact as text, bytes are only measured. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
    default:
      if (value instanceof Uint8Array) return `[${value.byteLength} B]`
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
      return JSON.stringify(value)
  }
}

/** Digits as a number when nothing is lost by it, else as they are. */
export function exactNumberOrText(text: string): number | string {
  const value = Number(text)
  const digits = text.replace(/\D/g, '').replace(/^0+/, '')
  return Number.isFinite(value) && digits.length <= 15 ? value : text
}

function sizeOf(cell: Cell): number {
  return typeof cell === 'string' ? Buffer.byteLength(cell) : 8
}
