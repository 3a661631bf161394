/** The kinds of work that the workshop's process does, as plain data. */

import type { Locale } from '../protocol/ports.ts'
import type { ChartSpec, Sheet } from './content.ts'
import type { Encoding } from './sources/csv.ts'
import type { Table } from './table.ts'

export type Work =
  | {
      readonly type: 'chart'
      readonly chart: ChartSpec
      readonly font: string | undefined
      readonly locale: Locale
    }
  | {
      readonly type: 'read_sheet'
      readonly bytes: Uint8Array
      readonly sheet: string | undefined
      readonly rows: number
      readonly maxBytes: number
    }
  | {
      readonly type: 'read_csv'
      readonly bytes: Uint8Array
      readonly encoding: Encoding
      readonly rows: number
      readonly maxBytes: number
    }
  | { readonly type: 'write_sheets'; readonly sheets: readonly Sheet[] }

export type WorkResult<W extends Work> = W['type'] extends 'read_sheet' | 'read_csv' ? Table : Uint8Array
