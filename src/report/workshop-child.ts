/** The workshop's process: takes one piece of work after the other. Libraries are loaded at first use. */
import { isAppError } from '../protocol/errors.ts'
import type { Painter } from './chart/paint.ts'
import type { WorkAnswer } from './workshop.ts'
import type { Work } from './workshop-work.ts'

const perform = createBench()

process.on('message', (message: { id: number; work: Work }) => {
  void answer(message.id, message.work).then((reply) => process.send?.(reply))
})

// The service decides when work ends, also while it stops; when it is gone, so is the channel that keeps this alive.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

async function answer(id: number, work: Work): Promise<WorkAnswer> {
  try {
    return { id, ok: true, result: await perform(work) }
  } catch (error) {
    const { code, hint, params } = isAppError(error)
      ? error
      : { code: 'report.workshop_failed', hint: '', params: {} }
    return {
      id,
      ok: false,
      code,
      message: error instanceof Error ? error.message : String(error),
      hint,
      params,
    }
  }
}

/** Keeps the painter, so that a font is looked for once. */
function createBench(): (work: Work) => Promise<unknown> {
  let painter: Promise<Painter> | undefined
  return async (work) => {
    switch (work.type) {
      case 'chart': {
        const { createPainter } = await import('./chart/paint.ts')
        painter ??= createPainter(work.font)
        return (await painter).paint(work.chart, work.locale)
      }
      case 'read_sheet': {
        const { readSheet } = await import('./sources/sheet.ts')
        return readSheet(work.bytes, work.sheet, { rows: work.rows, bytes: work.maxBytes })
      }
      case 'read_csv': {
        const { decodeText, parseCsv } = await import('./sources/csv.ts')
        return parseCsv(decodeText(work.bytes, work.encoding), { rows: work.rows, bytes: work.maxBytes })
      }
      case 'write_sheets': {
        const { writeSheets } = await import('./export/sheets.ts')
        return writeSheets(work.sheets)
      }
    }
  }
}
