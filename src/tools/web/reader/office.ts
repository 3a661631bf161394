/** Word, Excel and PowerPoint files → text. An archive is unpacked within bounds before anything reads it. */
import { unzipSync, zipSync } from 'fflate'
import type { ReadText } from './page.ts'

const UNPACKED_BYTES = 64 * 1024 * 1024
const MOST_ENTRIES = 5_000

type Entries = Record<string, Uint8Array>

/** Entries of an archive; throws when they would fill more than the bound (a zip bomb). */
function unpack(body: Uint8Array, wanted: RegExp): Entries {
  let bytes = 0
  let count = 0
  return unzipSync(body, {
    filter: ({ name, originalSize }) => {
      if (!wanted.test(name)) return false
      count += 1
      bytes += originalSize
      if (bytes > UNPACKED_BYTES || count > MOST_ENTRIES) {
        throw new Error(`the archive holds more than ${UNPACKED_BYTES / 1_048_576} MB`)
      }
      return true
    },
  })
}

/** The same files in an archive that cannot grow: what other libraries unpack has been measured. */
function repack(body: Uint8Array): Uint8Array {
  return zipSync(unpack(body, /./), { level: 0 })
}

export async function readWord(body: Uint8Array): Promise<ReadText> {
  const { default: mammoth } = await import('mammoth')
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(repack(body)) })
  const { readPage } = await import('./page.ts')
  const html = `<html><body><article>${value.replace(/<img\b[^>]*>/g, '')}</article></body></html>`
  return readPage(Buffer.from(html), 'text/html; charset=utf-8', 'about:blank')
}

/** Each sheet as CSV under its name; dates as written for people. */
export async function readWorkbook(body: Uint8Array, kind: 'xlsx' | 'xls'): Promise<ReadText> {
  const { read, utils } = await import('@e965/xlsx')
  const book = read(kind === 'xlsx' ? repack(body) : body, {
    type: 'array',
    dense: true,
    cellDates: true,
    dateNF: 'yyyy-mm-dd',
  })
  const sheets = book.SheetNames.map((name) => {
    const sheet = book.Sheets[name]
    const csv = sheet ? utils.sheet_to_csv(sheet, { dateNF: 'yyyy-mm-dd', blankrows: false }) : ''
    return `## ${name}\n${csv.trim()}`
  })
  return { title: '', text: sheets.join('\n\n') }
}

export async function readSlides(body: Uint8Array): Promise<ReadText> {
  const entries = unpack(body, /^ppt\/(slides\/slide|notesSlides\/notesSlide)\d+\.xml$/)
  const number = (name: string): number => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0)
  const parts = Object.keys(entries)
    .toSorted((a, b) => number(a) - number(b) || (a < b ? 1 : -1))
    .map((name) => {
      const label = name.includes('notesSlide') ? 'notes' : 'slide'
      return `[${label} ${number(name)}]\n${paragraphs(Buffer.from(entries[name] ?? []).toString('utf8'))}`
    })
  return { title: '', text: parts.join('\n\n') }
}

/** Text runs of DrawingML (ECMA-376): `a:t` inside `a:p`. */
function paragraphs(xml: string): string {
  return xml
    .split('</a:p>')
    .map((part) => [...part.matchAll(/<a:t(?:\s[^>]*)?>([^<]*)<\/a:t>/g)].map((run) => run[1] ?? '').join(''))
    .map((line) => decodeEntities(line).trim())
    .filter(Boolean)
    .join('\n')
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, dec?: string, name?: string) => {
      const point = hex === undefined ? Number(dec) : Number.parseInt(hex, 16)
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole
    },
  )
}
