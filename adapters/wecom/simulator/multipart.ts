/**
 * Reads one file out of multipart/form-data with the platform's narrowness: the field is `media`, the name is raw
 * UTF-8 in `filename="…"`, and `filename*` is not understood (WeiXinMPSDK #2682, wechatpy #293).
 */
import { refuse } from './refusal.ts'

export interface UploadedFile {
  name: string
  bytes: Buffer
}

const GAP = Buffer.from('\r\n\r\n')

function boundaryOf(contentType: string | undefined): Buffer {
  const found = /^multipart\/form-data\b.*?boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '')
  const boundary = found?.[1] ?? found?.[2]
  if (boundary === undefined) throw refuse(41005, 'no multipart boundary')
  return Buffer.from(`--${boundary}`)
}

/** Splits into parts between boundary lines; each part without its leading and trailing line break. */
function partsOf(body: Buffer, boundary: Buffer): Buffer[] {
  const parts: Buffer[] = []
  let from = body.indexOf(boundary)
  while (from >= 0) {
    const start = from + boundary.length + 2
    const next = body.indexOf(boundary, start)
    if (next < 0) break
    parts.push(body.subarray(start, next - 2))
    from = next
  }
  return parts
}

export function readUpload(contentType: string | undefined, body: Buffer): UploadedFile {
  for (const part of partsOf(body, boundaryOf(contentType))) {
    const gap = part.indexOf(GAP)
    const head = part.subarray(0, Math.max(gap, 0)).toString('utf8')
    if (gap < 0 || !/\bname="?media"?(;|\r|\n|$)/i.test(head)) continue
    const name = /\bfilename="([^"]*)"/i.exec(head)?.[1]
    if (name === undefined || name === '') throw refuse(41005, 'no filename="…"')
    const bytes = part.subarray(gap + GAP.length)
    if (bytes.length === 0) throw refuse(44001)
    return { name, bytes: Buffer.from(bytes) }
  }
  throw refuse(41005, 'no field named media')
}
