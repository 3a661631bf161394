/** Bytes of a page as text, whatever it says or forgets to say about its encoding. Pure. */
import { detectEncoding } from '../../files/encoding.ts'

const HEAD_BYTES = 4_096

/** BOM first, then the HTTP header, then the page's own word, then the bytes themselves. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1')
  const detected = detectEncoding(bytes, true)
  if (detected && detected.bom > 0) return decode(detected.name, bytes.subarray(detected.bom))
  const said =
    label(/charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1]) ??
    label(/<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1]) ??
    label(/<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1])
  // Pages that call themselves UTF-8 and are not are common among old Chinese sites.
  const name = said === undefined || (said === 'utf-8' && !isUtf8(bytes)) ? (detected?.name ?? 'utf-8') : said
  return decode(name, bytes)
}

/** The name as `TextDecoder` knows it. GB2312 and GBK pages use characters of GB18030. */
function label(said: string | undefined): string | undefined {
  if (said === undefined) return undefined
  try {
    const name = new TextDecoder(said).encoding
    return name === 'gbk' ? 'gb18030' : name
  } catch {
    // An encoding nobody knows: the bytes decide.
    return undefined
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    // The answer itself.
    return false
  }
}

function decode(name: string, bytes: Buffer): string {
  return new TextDecoder(name).decode(bytes)
}
