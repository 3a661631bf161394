/** Rows of the service's own tables by column name, for reports that know the columns. Pure. */
import { type Cell, numberOf, type Table } from './table.ts'

export interface TableRecord {
  text(column: string): string
  /** Zero for what is not a number. */
  number(column: string): number
  cell(column: string): Cell
}

export function recordsOf(table: Table | undefined): TableRecord[] {
  if (table === undefined) return []
  const index = new Map(table.columns.map((column, at) => [column, at]))
  return table.rows.map((row) => {
    const cell = (column: string): Cell => row[index.get(column) ?? -1] ?? null
    return {
      cell,
      text: (column) => String(cell(column) ?? ''),
      number: (column) => numberOf(cell(column)) ?? 0,
    }
  })
}

/** Records by the value of a column, the largest group first. */
export function groupedBy(
  records: readonly TableRecord[],
  key: (record: TableRecord) => string,
): { readonly key: string; readonly records: readonly TableRecord[] }[] {
  const groups = new Map<string, TableRecord[]>()
  for (const record of records) {
    const name = key(record)
    const group = groups.get(name)
    if (group) group.push(record)
    else groups.set(name, [record])
  }
  return [...groups]
    .map(([name, list]) => ({ key: name, records: list }))
    .sort((a, b) => b.records.length - a.records.length)
}
