/** Hands out files of strangers: pictures may be shown, everything else is only ever downloaded. */
import type { Response } from 'express'

/** Formats that hold no script; SVG does, so it is not here. Told by content, never by name. */
const SIGNATURES: readonly {
  readonly mime: string
  readonly at: number
  readonly bytes: readonly number[]
}[] = [
  { mime: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { mime: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { mime: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { mime: 'image/webp', at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
]

/** MIME type of a picture that is safe to show inline, else undefined. */
export function pictureType(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find((one) => one.bytes.every((byte, i) => bytes[one.at + i] === byte))?.mime
}

/** Answers with the file, or 404. */
export function sendFile(
  response: Response,
  file: { readonly name: string; readonly bytes: Uint8Array } | undefined,
): void {
  if (!file) {
    response
      .status(404)
      .json({ error: { code: 'playground.gone', message: 'the file is not kept any more' } })
    return
  }
  const picture = pictureType(file.bytes)
  response.set({
    'content-type': picture ?? 'application/octet-stream',
    'content-disposition': `${picture ? 'inline' : 'attachment'}; ${fileNameParameters(file.name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  response.send(Buffer.from(file.bytes))
}

/** Both forms of the name (RFC 6266): plain for old clients, UTF-8 for the rest. */
function fileNameParameters(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_')
  const utf8 = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  return `filename="${plain}"; filename*=UTF-8''${utf8}`
}
