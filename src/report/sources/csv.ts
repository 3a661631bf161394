/** CSV as offices write it: UTF-8 with or without mark, GBK, UTF-16; commas, semicolons or tabs. Pure. */
import type { Table } from '../table.ts'
import { createGatherer } from './gather.ts'
import type { ReadLimits } from './source.ts'

export type Encoding = 'auto' | 'utf-8' | 'gb18030' | 'utf-16le'

/** Decodes by the mark at the start, else as UTF-8 if it is that throughout, else as GB18030. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding !== 'auto') return new TextDecoder(encoding).decode(bytes)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Office programs in China write GBK, of which GB18030 is the superset.
    return new TextDecoder('gb18030').decode(bytes)
  }
}

/** First line is the header. Short rows are filled with empty cells; numbers stay text until counted. */
export function parseCsv(text: string, limits: Pick<ReadLimits, 'rows' | 'bytes'>): Table {
  const separator = separatorOf(text)
  const gatherer = createGatherer(limits)
  let columns: string[] | undefined
  for (const record of recordsOf(text, separator)) {
    if (record.length === 1 && record[0] === '') continue
    if (columns === undefined) {
      columns = namedColumns(record)
      continue
    }
    const row = columns.map((_, index) => record[index] ?? null)
    if (!gatherer.add(row)) break
  }
  return gatherer.table(columns ?? [])
}

/** Headers are trimmed; an empty or repeated one gets a number, so that every column has its own name. */
export function namedColumns(header: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return header.map((name, index) => {
    const base = name.trim() || `列${index + 1}`
    const count = (seen.get(base) ?? 0) + 1
    seen.set(base, count)
    return count === 1 ? base : `${base}_${count}`
  })
}

/** Whichever of comma, semicolon and tab the first line holds most of, outside quotes. */
function separatorOf(text: string): string {
  const first = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0].replace(/"(?:[^"]|"")*"/g, '') ?? ''
  const counted = [',', ';', '\t'].map((mark) => ({ mark, count: first.split(mark).length }))
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).mark
}

/** Records by RFC 4180: quotes may hold separators, line ends and doubled quotes. */
function* recordsOf(text: string, separator: string): Generator<string[]> {
  let record: string[] = []
  let at = 0
  while (at <= text.length) {
    const { value, end } = fieldAt(text, at, separator)
    record.push(value)
    if (text[end] === separator) {
      at = end + 1
      continue
    }
    yield record
    if (end >= text.length) return
    record = []
    at = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1)
  }
}

function fieldAt(text: string, start: number, separator: string): { value: string; end: number } {
  if (text[start] !== '"') {
    const end = endOfField(text, start, separator)
    return { value: text.slice(start, end), end }
  }
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    // A quote that is never closed: the rest is the field.
    if (quote < 0) return { value: value + text.slice(at), end: text.length }
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') {
      const end = endOfField(text, quote + 1, separator)
      return { value: value + text.slice(quote + 1, end), end }
    }
    value += '"'
    at = quote + 2
  }
}

function endOfField(text: string, start: number, separator: string): number {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++
  return end
}
