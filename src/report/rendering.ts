/** A report's content as text, pictures and files. Knows formats; knows neither data nor chats. */
import { isAppError } from '../protocol/errors.ts'
import type { RenderedReport, ReportContext, ReportFile } from '../protocol/report.ts'
import type { Attachment, ReportContent, Sheet } from './content.ts'
import { csvOf } from './export/csv.ts'
import { pageOf } from './export/page.ts'
import type { Printer } from './export/pdf.ts'
import { markdownOf, summaryOf } from './markdown.ts'
import { dateText } from './period.ts'
import type { Workshop } from './workshop.ts'

export interface RenderingDeps {
  readonly workshop: Workshop
  readonly print: Printer
  /** The operator's font file; found by itself when undefined. */
  readonly font: string | undefined
}

type Made = { readonly name: string; readonly bytes: Uint8Array }

/**
 * Pictures and files that cannot be made here (no font, no browser) are said in the text instead:
 * numbers that arrive without their picture are worth more than nothing.
 */
export async function renderContent(
  content: ReportContent,
  ctx: ReportContext,
  deps: RenderingDeps,
): Promise<RenderedReport> {
  const notes: string[] = []
  const attempt = async (name: string, make: () => Promise<Uint8Array>): Promise<Made | undefined> => {
    try {
      return { name, bytes: await make() }
    } catch (error) {
      if (ctx.signal.aborted || !isAppError(error)) throw error
      ctx.logger.warn({ code: error.code, hint: error.hint }, 'part of a report could not be made')
      notes.push(
        ctx.text('report.note.not_made', { name, reason: ctx.text(`error.${error.code}`, error.params) }),
      )
      return undefined
    }
  }
  const images: Made[] = []
  for (const chart of content.charts) {
    const work = { type: 'chart', chart, font: deps.font, locale: ctx.locale } as const
    const image = await attempt(`${legalName(chart.title)}.png`, () => deps.workshop.do(work, ctx.signal))
    if (image) images.push(image)
  }
  const files: Made[] = []
  for (const kind of content.attach) {
    for (const sheet of kind === 'csv' ? content.sheets : content.sheets.slice(0, 1)) {
      const file = await attempt(fileName(content, sheet, kind, ctx), () =>
        fileOf(kind, content, sheet, images, ctx, deps),
      )
      if (file) files.push(file)
    }
  }
  const whole = { ...content, notes: [...content.notes, ...notes] }
  const markdown = markdownOf(whole, ctx.locale, ctx.text)
  const bytes = [...images, ...files].reduce((sum, file) => sum + file.bytes.byteLength, 0)
  return {
    markdown,
    images: images satisfies readonly ReportFile[],
    files: files satisfies readonly ReportFile[],
    summary: summaryOf(content, ctx.locale, ctx.text),
    sizeBytes: Buffer.byteLength(markdown) + bytes,
  }
}

async function fileOf(
  kind: Attachment,
  content: ReportContent,
  sheet: Sheet,
  images: readonly Made[],
  ctx: ReportContext,
  deps: RenderingDeps,
): Promise<Uint8Array> {
  switch (kind) {
    case 'csv':
      return csvOf(sheet.columns, sheet.rows)
    case 'xlsx':
      return deps.workshop.do({ type: 'write_sheets', sheets: content.sheets }, ctx.signal)
    case 'pdf': {
      const pictures = images.map((image) => image.bytes)
      return deps.print(pageOf(content, pictures, ctx.locale, ctx.text), ctx.signal)
    }
  }
}

/** `昨日销售 2026-11-29.xlsx`; a sheet's own name where there are several files. */
function fileName(content: ReportContent, sheet: Sheet, kind: Attachment, ctx: ReportContext): string {
  const title = kind === 'csv' && content.sheets.length > 1 ? sheet.name : content.title
  return `${legalName(title)} ${dateText(ctx.at, ctx.timezone)}.${kind}`
}

/** A title as a file name on every system. */
function legalName(title: string): string {
  return title.replace(/[\\/:*?"<>|\x00-\x1f]/g, ' ').trim() || 'report'
}
