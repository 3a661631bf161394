/**
 * The encoding of a text file: found out, named, and kept when the file is written again. UTF-8 first;
 * legacy encodings are guessed from the bytes, GB18030 before Western ones, as our users' files are.
 */
import { createRequire } from 'node:module'

// Both hold large tables that only files in other encodings need: loaded at the first of these.
const load = createRequire(import.meta.url)
const chardet = (): typeof import('chardet') => load('chardet')
const iconv = (): typeof import('iconv-lite') => load('iconv-lite')

export interface Encoding {
  /** Name for people and for `TextDecoder`: `utf-8`, `gb18030`, `utf-16le` … */
  readonly name: string
  /** Bytes of the byte order mark; 0 when there is none. */
  readonly bom: number
}

export const UTF8: Encoding = { name: 'utf-8', bom: 0 }

const BOMS: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** What `chardet` calls them → what `TextDecoder` calls them. Multi-byte ones only. */
const MULTIBYTE: Readonly<Record<string, string>> = {
  GB18030: 'gb18030',
  Big5: 'big5',
  Shift_JIS: 'shift_jis',
  'EUC-JP': 'euc-jp',
  'EUC-KR': 'euc-kr',
}

/** The encoding of a file that begins with `sample`, or undefined when it is binary. */
export function detectEncoding(sample: Buffer, whole: boolean): Encoding | undefined {
  for (const [name, bytes] of BOMS) {
    if (bytes.every((byte, index) => sample[index] === byte)) return { name, bom: bytes.length }
  }
  if (sample.subarray(0, 8_192).includes(0)) return undefined
  if (decodes('utf-8', sample, whole)) return UTF8
  const guess = chardet().analyse(sample)[0]
  const multibyte = guess && MULTIBYTE[guess.name]
  if (multibyte && decodes(multibyte, sample, whole)) return { name: multibyte, bom: 0 }
  if (mostlyHan(sample, whole)) return { name: 'gb18030', bom: 0 }
  return { name: 'windows-1252', bom: 0 }
}

function decodes(name: string, bytes: Buffer, whole: boolean): boolean {
  try {
    // A sample may end inside a character; a whole file may not.
    new TextDecoder(name, { fatal: true }).decode(bytes, { stream: !whole })
    return true
  } catch {
    // The answer itself: these bytes are not in that encoding.
    return false
  }
}

/** True when the bytes read as GB18030 give mostly common Chinese characters. */
function mostlyHan(bytes: Buffer, whole: boolean): boolean {
  if (!decodes('gb18030', bytes, whole)) return false
  const foreign = [...new TextDecoder('gb18030').decode(bytes)].filter((char) => char > '\u007f')
  return (
    foreign.filter((char) => /[\u4e00-\u9fff\u3000-\u303f\uff00-\uffef]/.test(char)).length * 2 >
    foreign.length
  )
}

/** Decodes a whole file; undefined when a byte does not fit, so that nothing is ever replaced silently. */
export function decodeWhole(bytes: Buffer, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding.name, { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(encoding.bom),
    )
  } catch {
    // Mixed or damaged: the caller says so.
    return undefined
  }
}

/** Encodes a whole file with its mark; undefined when the encoding cannot hold a character of the text. */
export function encodeWhole(text: string, encoding: Encoding): Buffer | undefined {
  const body = iconv().encode(text, encoding.name)
  const mark = BOMS.find(([name, bytes]) => name === encoding.name && bytes.length === encoding.bom)
  const bytes = Buffer.concat([Buffer.from(mark?.[1] ?? []), body])
  return decodeWhole(bytes, encoding) === text ? bytes : undefined
}

/** `gb18030`, or `utf-8 with BOM`. */
export function encodingName(encoding: Encoding): string {
  return encoding.bom > 0 && encoding.name === 'utf-8' ? 'utf-8 with BOM' : encoding.name
}
