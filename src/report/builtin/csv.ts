/** A CSV or XLSX file of the configuration. */
import { z } from 'zod'
import { defineReport } from '../report.ts'
import type { SourceRequest } from '../sources/source.ts'
import { rowsParams, viewRows } from './rows.ts'

export const csv = defineReport({
  name: 'csv',
  about: 'report.about.csv',
  params: z.strictObject({ ...rowsParams, sheet: z.string().optional().describe('sheet of an XLSX file') }),
  sources: ({ source, sheet }): Record<'table', SourceRequest> => ({
    table: { type: 'file', source, ...(sheet !== undefined && { sheet }) },
  }),
  build: (given, { table }, ctx) => viewRows(given, table ?? { columns: [], rows: [] }, ctx),
})
