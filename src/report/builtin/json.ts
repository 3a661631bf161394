/** A list of objects behind an HTTP address of the configuration. */
import { z } from 'zod'
import { defineReport } from '../report.ts'
import type { SourceRequest } from '../sources/source.ts'
import { rowsParams, viewRows } from './rows.ts'

export const json = defineReport({
  name: 'json',
  about: 'report.about.json',
  params: z.strictObject(rowsParams),
  sources: ({ source }): Record<'table', SourceRequest> => ({ table: { type: 'json', source } }),
  build: (given, { table }, ctx) => viewRows(given, table ?? { columns: [], rows: [] }, ctx),
})
