/** What an answer is, by its bytes before its header: servers often call everything octet-stream. Pure. */

export type DocumentKind = 'html' | 'text' | 'pdf' | 'docx' | 'xlsx' | 'xls' | 'pptx'

const OFFICE: readonly (readonly [marker: string, kind: DocumentKind])[] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
]

/** Undefined for what cannot be turned into text. */
export function documentKind(body: Uint8Array, contentType: string): DocumentKind | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes.subarray(0, 1_024).includes('%PDF-')) return 'pdf'
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'))) {
    return OFFICE.find(([marker]) => bytes.includes(marker, 0, 'latin1'))?.[1]
  }
  if (bytes.subarray(0, 4).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))) {
    return /excel|xls/i.test(contentType) ? 'xls' : undefined
  }
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (/^(image|audio|video|font)\/(?!svg)/.test(type)) return undefined
  if (/html/.test(type)) return 'html'
  const sample = bytes.subarray(0, 8_192)
  const wide = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff)
  if (sample.includes(0) && !wide) return undefined
  if (type !== '' && !/^(application\/octet-stream|text\/plain)$/.test(type)) return 'text'
  return /^\s*<(!doctype html|html|head|body)\b/i.test(sample.toString('latin1')) ? 'html' : 'text'
}
