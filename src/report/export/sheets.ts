/** Tables as an XLSX file. Runs in the workshop's process. */
import type { WorkSheet } from '@e965/xlsx'
import type { Sheet } from '../content.ts'
import type { Cell } from '../table.ts'
import { harmlessText } from './formula.ts'

const MAX_WIDTH = 60
/** Excel's limit for one cell. */
const CELL_LETTERS = 32_767

export async function writeSheets(sheets: readonly Sheet[]): Promise<Uint8Array> {
  const { utils, write } = await import('@e965/xlsx')
  const book = utils.book_new()
  for (const [index, { name, columns, rows }] of sheets.entries()) {
    const cells = [columns, ...rows].map((row) => row.map(cellFor))
    const sheet: WorkSheet = utils.aoa_to_sheet(cells)
    sheet['!cols'] = columns.map((column, at) => ({ wch: widthOf(column, rows, at) }))
    utils.book_append_sheet(book, sheet, sheetName(name, index))
  }
  const bytes: unknown = write(book, { type: 'buffer', bookType: 'xlsx', compression: true })
  if (!(bytes instanceof Uint8Array)) throw new Error('the spreadsheet library returned no bytes')
  return bytes
}

/** Numbers stay numbers; text is always a text cell, and never one that begins like a formula. */
function cellFor(cell: Cell): object | null {
  if (cell === null) return null
  if (typeof cell === 'number') return { t: 'n', v: cell }
  if (typeof cell === 'boolean') return { t: 'b', v: cell }
  return { t: 's', v: harmlessText(cell).slice(0, CELL_LETTERS).toWellFormed() }
}

function widthOf(column: string, rows: readonly (readonly Cell[])[], at: number): number {
  const sample = rows.slice(0, 200).map((row) => String(row[at] ?? ''))
  const widths = [column, ...sample].map((text) => text.replace(/[^\x00-\xff]/g, '00').length + 2)
  return Math.min(MAX_WIDTH, Math.max(8, ...widths))
}

/** Sheet names: at most 31 characters, none of `: \ / ? * [ ]`, each its own. */
function sheetName(name: string, index: number): string {
  const legal = name
    .replace(/[:\\/?*[\]]/g, ' ')
    .trim()
    .slice(0, 28)
  return index === 0 ? legal || 'Sheet1' : `${legal || 'Sheet'}_${index + 1}`
}
