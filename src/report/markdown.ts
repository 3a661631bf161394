/** A report as markdown for a chat: what matters in the first lines, tables short enough for a phone. Pure. */
import type { Locale, Translate } from '../protocol/ports.ts'
import { cellText } from './cell-text.ts'
import type { ReportContent, TableBlock } from './content.ts'
import { figureText } from './figure.ts'

const CELL_LETTERS = 60

export function markdownOf(content: ReportContent, locale: Locale, text: Translate): string {
  const heading = `**${literal(content.title)}**${content.period ? ` · ${literal(content.period)}` : ''}`
  const notes = content.notes.map((note) => `> ⚠️ ${literal(note)}`)
  const figures = content.figures.map((figure) => {
    const { value, detail } = figureText(figure, locale, text)
    const more = detail === '' ? '' : text('report.detail', { detail: literal(detail) })
    return `- ${literal(figure.label)}${text('report.colon')}**${literal(value)}**${more}`
  })
  const parts = [
    heading,
    notes.join('\n'),
    literal(content.remark ?? ''),
    figures.join('\n'),
    ...content.tables.map((table) => tableOf(table, locale, text)),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** One line for histories and lock screens: the title and the first figures. */
export function summaryOf(content: ReportContent, locale: Locale, text: Translate): string {
  const figures = content.figures
    .slice(0, 2)
    .map((figure) => `${figure.label} ${figureText(figure, locale, text).value}`)
  return [content.title, ...figures].join(' · ')
}

function tableOf(table: TableBlock, locale: Locale, text: Translate): string {
  if (table.rows.length === 0) return ''
  const numeric = table.columns.map((_, at) => table.rows.every((row) => typeof row[at] === 'number'))
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const more =
    table.total !== undefined && table.total > table.rows.length
      ? text('report.rows_left_out', { shown: table.rows.length, total: table.total })
      : ''
  return [
    table.title === undefined ? '' : `**${literal(table.title)}**\n`,
    line(table.columns.map(literal)),
    line(numeric.map((each) => (each ? '---:' : ':---'))),
    ...table.rows.map((row) =>
      line(row.map((cell, at) => literal(cut(cellText(cell, table.units?.[at], locale))))),
    ),
    more === '' ? '' : `\n${more}`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function cut(text: string): string {
  const letters = [...text]
  return letters.length <= CELL_LETTERS ? text : `${letters.slice(0, CELL_LETTERS - 1).join('')}…`
}

const WIDE: Readonly<Record<string, string>> = {
  '|': '｜',
  '*': '＊',
  '`': '｀',
  '[': '［',
  ']': '］',
  '<': '＜',
  '~': '～',
}

/**
 * Data is never markup. Platforms disagree about escapes, and some show the backslash: the wide form
 * of a character means nothing anywhere and reads the same.
 */
function literal(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[|*`[\]<~]/g, (character) => WIDE[character] ?? character)
}
