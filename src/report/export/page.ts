/** A report as one web page for printing: no script, nothing loaded from anywhere. Pure. */

import type { Locale, Translate } from '../../protocol/ports.ts'
import { cellText } from '../cell-text.ts'
import type { ReportContent, TableBlock } from '../content.ts'
import { figureText } from '../figure.ts'

const STYLE = `
@page { size: A4; margin: 16mm }
body { font: 11pt/1.6 "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "WenQuanYi Micro Hei", sans-serif; color: #1f2329 }
h1 { font-size: 18pt; margin: 0 } h2 { font-size: 12pt; margin: 16pt 0 4pt }
.period { color: #646a73 } .note { background: #fff7e6; padding: 4pt 8pt; margin: 6pt 0 }
.figures { display: flex; flex-wrap: wrap; gap: 8pt 24pt; padding: 0; list-style: none } .figures b { display: block; font-size: 15pt }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt } th { text-align: left; background: #f5f6f7 }
th, td { border-bottom: 1px solid #e5e6eb; padding: 3pt 6pt } .number { text-align: right; font-variant-numeric: tabular-nums }
tr, img { break-inside: avoid } img { width: 120mm; display: block; margin: 8pt 0 }`

/** Data may hold anything; the page runs and loads nothing. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

export function pageOf(
  content: ReportContent,
  images: readonly Uint8Array[],
  locale: Locale,
  text: Translate,
): string {
  const figures = content.figures.map((figure) => {
    const { value, detail } = figureText(figure, locale, text)
    return `<li>${html(figure.label)}<b>${html(value)}</b>${html(detail)}</li>`
  })
  const pictures = images.map(
    (png) => `<img alt="" src="data:image/png;base64,${Buffer.from(png).toString('base64')}">`,
  )
  return [
    `<!doctype html><html lang="${locale}"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${html(content.title)}</title><style>${STYLE}</style>`,
    `<h1>${html(content.title)}</h1><div class="period">${html(content.period ?? '')}</div>`,
    ...content.notes.map((note) => `<p class="note">${html(note)}</p>`),
    `<p>${html(content.remark ?? '')}</p>`,
    `<ul class="figures">${figures.join('')}</ul>`,
    ...pictures,
    ...content.tables.map((table) => tableHtml(table, locale)),
    '</html>',
  ].join('\n')
}

function tableHtml(table: TableBlock, locale: Locale): string {
  const kindOf = (at: number): string =>
    table.rows.some((row) => typeof row[at] === 'number') ? ' class="number"' : ''
  const head = table.columns.map((column, at) => `<th${kindOf(at)}>${html(column)}</th>`).join('')
  const body = table.rows.map((row) => {
    const cells = row.map(
      (cell, at) => `<td${kindOf(at)}>${html(cellText(cell, table.units?.[at], locale))}</td>`,
    )
    return `<tr>${cells.join('')}</tr>`
  })
  return `<h2>${html(table.title ?? '')}</h2><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`
}

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '<br>')
}
