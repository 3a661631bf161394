/** Sending a file, and the media host: encrypted blobs at addresses that live five minutes. */
import type { ServerResponse } from 'node:http'
import type { Download } from './api.ts'
import type { World } from './world.ts'

/** Names the download both ways, as the media host does. */
const disposition = (name: string): string =>
  `attachment; filename="${encodeURIComponent(name)}"; filename*=UTF-8''${encodeURIComponent(name)}`

/** Whole, or the rest that the `Range` of a request asks for: `media/get` and the media host serve ranges. */
export function sendDownload(
  response: ServerResponse,
  file: Download,
  { range, isCut = false }: { readonly range?: string | undefined; readonly isCut?: boolean } = {},
): void {
  const all = file.bytes.length
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
  const bytes = file.bytes.subarray(from)
  response.writeHead(from > 0 ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition(file.name),
    'content-length': bytes.length,
    ...(from > 0 && { 'content-range': `bytes ${from}-${all - 1}/${all}` }),
  })
  // Late enough for the half to be read: what a client has not taken yet is lost with the connection.
  if (isCut)
    response.write(bytes.subarray(0, bytes.length / 2), () => setTimeout(() => response.destroy(), 20))
  else response.end(bytes)
}

/** In CBC this flips the top bit of the last plaintext byte, so the padding length leaves 1..32 for certain. */
function breakPadding(sealed: Buffer): Buffer {
  const bytes = Buffer.from(sealed)
  const at = bytes.length - 17
  bytes[at] = (bytes[at] ?? 0) ^ 0x80
  return bytes
}

/** Answers `GET /media/<id>`; 403 once the address is over its time. */
export function serveMedia(
  world: World,
  response: ServerResponse,
  id: string,
  range: string | undefined,
): void {
  const blob = world.media.blob(id)
  const close = world.journal.open({ channel: 'http-in', name: 'media', request: id })
  if (!blob) {
    close('gone', 403)
    response.writeHead(403, { 'content-type': 'text/plain' }).end('url expired')
    return
  }
  close('found', 0)
  const fault = world.faults.take('media', 'answer')
  const bytes = fault?.effect === 'corrupt' ? breakPadding(blob.sealed) : blob.sealed
  sendDownload(response, { name: blob.name, bytes }, { range, isCut: fault?.effect === 'cut' })
}
