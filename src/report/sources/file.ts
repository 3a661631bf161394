/** CSV and XLSX files that the operator named. Knows sizes and dates; refuses what is too large to read. */

import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { AppError } from '../../protocol/errors.ts'
import type { Table } from '../table.ts'
import type { Workshop } from '../workshop.ts'
import type { Encoding } from './csv.ts'
import { sourceUnavailable } from './failure.ts'
import type { ReadLimits } from './source.ts'

export interface FileSource {
  readonly name: string
  readonly path: string
  readonly format:
    | { readonly type: 'csv'; readonly encoding: Encoding }
    | { readonly type: 'xlsx'; readonly sheet: string | undefined }
}

/** Reads the whole file. Rejects with `report.source_unavailable`, `report.file_too_large` … */
export async function readTableFile(
  source: FileSource,
  limits: ReadLimits,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<Table> {
  const file = await open(source.path, 'r').catch((error: unknown) => {
    throw sourceUnavailable(source.name, reasonOf(error, source.path), error)
  })
  try {
    const { bytes, writtenAt } = await wholeFile(file, source.name, limits.bytes)
    return { ...(await tableOf(source, bytes, limits, workshop, signal)), writtenAt }
  } finally {
    await file.close()
  }
}

async function tableOf(
  { format }: FileSource,
  bytes: Uint8Array,
  limits: ReadLimits,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<Table> {
  const { rows, bytes: maxBytes } = limits
  if (format.type === 'csv') {
    return workshop.do({ type: 'read_csv', bytes, encoding: format.encoding, rows, maxBytes }, signal)
  }
  return workshop.do({ type: 'read_sheet', bytes, sheet: format.sheet, rows, maxBytes }, signal)
}

async function wholeFile(
  file: FileHandle,
  name: string,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; writtenAt: number }> {
  const info = await file.stat()
  if (!info.isFile()) throw sourceUnavailable(name, 'not a file')
  if (info.size > maxBytes) {
    const megabytes = Math.round(maxBytes / 1_048_576)
    throw new AppError('report.file_too_large', `${name}: ${info.size} bytes`, {
      hint: `At most ${megabytes} MB are read; raise reports.megabytes or export less.`,
      params: { source: name, megabytes },
    })
  }
  return { bytes: await file.readFile(), writtenAt: info.mtimeMs }
}

/** Names the file, not the folder it is in. */
function reasonOf(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  return `${path.split('/').at(-1) ?? ''} (${code})`
}
