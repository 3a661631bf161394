/** Rows and columns as every source gives them, and what can be counted over them. Knows no SQL, no file. */
import { AppError } from '../protocol/errors.ts'

/** Dates and times are text, as the source's own clock writes them. */
export type Cell = string | number | boolean | null

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Set when a limit ended the reading: what is missing is missing from every sum. */
  readonly cut?: { readonly by: 'rows' | 'bytes'; readonly limit: number }
  /** When the data was written, where the source knows; milliseconds. */
  readonly writtenAt?: number
}

/** How a column becomes one number. */
export type Use = 'sum' | 'avg' | 'max' | 'min' | 'count' | 'first' | 'last'

export interface Reduced {
  /** Undefined when there was nothing to count. */
  readonly value: number | undefined
  /** Cells that are empty or not a number, and were left out. */
  readonly skipped: number
}

/** Position of a column; rejects with the columns that exist. */
export function columnIndex(table: Table, name: string, place: string): number {
  const index = table.columns.indexOf(name)
  if (index >= 0) return index
  throw new AppError('report.unknown_column', `${place}: no column ${name}`, {
    hint: `The columns are: ${table.columns.join(', ')}.`,
    params: { place, column: name, columns: table.columns.join('、') },
  })
}

/** One number of a column. `count` counts rows whose cell is not empty. */
export function reduceColumn(table: Table, name: string, use: Use, place: string): Reduced {
  const index = columnIndex(table, name, place)
  const cells = table.rows.map((row) => row[index] ?? null)
  const filled = cells.filter((cell) => cell !== null && cell !== '')
  if (use === 'count') return { value: filled.length, skipped: 0 }
  const numbers = filled.map(numberOf).filter((value) => value !== undefined)
  return { value: reduceNumbers(numbers, use), skipped: cells.length - numbers.length }
}

function reduceNumbers(numbers: readonly number[], use: Exclude<Use, 'count'>): number | undefined {
  if (numbers.length === 0) return undefined
  switch (use) {
    case 'sum':
      return exactSum(numbers)
    case 'avg':
      return exactSum(numbers) / numbers.length
    case 'max':
      return numbers.reduce((a, b) => Math.max(a, b))
    case 'min':
      return numbers.reduce((a, b) => Math.min(a, b))
    case 'first':
      return numbers[0]
    case 'last':
      return numbers.at(-1)
  }
}

/** Neumaier's sum: a hundred thousand amounts of 0.1 are 10,000 and not 10,000.000000018848. */
export function exactSum(numbers: readonly number[]): number {
  let sum = 0
  let lost = 0
  for (const value of numbers) {
    const next = sum + value
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
  }
  return sum + lost
}

/** A cell as a number; text such as `1,234.50`, `￥12` and `35%` counts, anything else does not. */
export function numberOf(cell: Cell): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined
  if (typeof cell !== 'string') return undefined
  const text = cell
    .normalize('NFKC')
    .trim()
    .replace(/^[¥$€£]/, '')
    .replace(/元$/, '')
    .trim()
  if (!/^[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?%?$/.test(text)) return undefined
  const value = Number(text.replace(/[,%]/g, ''))
  return text.endsWith('%') ? value / 100 : value
}

/** Sums `y` for each value of `x`, in order of first appearance. */
export function groupSum(
  table: Table,
  x: string,
  y: readonly string[],
  place: string,
): { readonly label: string; readonly values: readonly (number | undefined)[] }[] {
  const xIndex = columnIndex(table, x, place)
  const yIndexes = y.map((name) => columnIndex(table, name, place))
  const groups = new Map<string, number[][]>()
  for (const row of table.rows) {
    const label = labelOf(row[xIndex] ?? null)
    const group = groups.get(label) ?? yIndexes.map(() => [])
    groups.set(label, group)
    for (const [i, index] of yIndexes.entries()) {
      const value = numberOf(row[index] ?? null)
      if (value !== undefined) group[i]?.push(value)
    }
  }
  return [...groups].map(([label, group]) => ({
    label,
    values: group.map((numbers) => (numbers.length === 0 ? undefined : exactSum(numbers))),
  }))
}

/** A cell as people read it; an empty one is a dash. */
export function labelOf(cell: Cell): string {
  if (cell === null || cell === '') return '—'
  return String(cell)
}
