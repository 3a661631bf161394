/** A spreadsheet as rows. Runs in the workshop's process: a large file takes seconds. */
import { AppError } from '../../protocol/errors.ts'
import type { Table } from '../table.ts'
import { namedColumns } from './csv.ts'
import { createGatherer } from './gather.ts'
import type { ReadLimits } from './source.ts'

/** The named sheet, or the first; its first row that holds anything is the header. */
export async function readSheet(
  bytes: Uint8Array,
  sheet: string | undefined,
  limits: Pick<ReadLimits, 'rows' | 'bytes'>,
): Promise<Table> {
  const { read, utils } = await import('@e965/xlsx')
  // Formulas are not wanted: the values that the last program computed are.
  const book = read(bytes, { cellFormula: false, cellHTML: false, cellDates: true, UTC: true, dense: true })
  const name = sheet ?? book.SheetNames[0]
  const found = name === undefined ? undefined : book.Sheets[name]
  if (found === undefined) throw noSuchSheet(name ?? '', book.SheetNames)
  const lines = utils.sheet_to_json<unknown[]>(found, {
    header: 1,
    raw: true,
    defval: null,
    blankrows: false,
    UTC: true,
  })
  const [header, ...rows] = lines
  const columns = namedColumns((header ?? []).map((cell) => String(cell ?? '')))
  const gatherer = createGatherer(limits)
  for (const row of rows) {
    if (!gatherer.add(columns.map((_, index) => dated(row[index])))) break
  }
  return gatherer.table(columns)
}

/** Spreadsheet dates have no zone: `2026-11-29`, or with the time of day when there is one. */
function dated(value: unknown): unknown {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return value
  // Serial numbers are fractions of a day; half a second of rounding is not a time of day.
  const text = new Date(Math.round(value.getTime() / 1_000) * 1_000).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ')
}

function noSuchSheet(name: string, names: readonly string[]): AppError {
  return new AppError('report.unknown_sheet', `no sheet ${name}`, {
    hint: `The sheets are: ${names.join(', ')}.`,
    params: { sheet: name, sheets: names.join('、') },
  })
}
