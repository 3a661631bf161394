/** One field or file of a form. */
export interface Part {
  readonly name: string
  /** Absent when the part carries none, as the SDK sends buffers. */
  readonly filename?: string
  readonly bytes: Buffer
}

/** Parts of a `multipart/form-data` body; empty when the content type names no boundary. */
export function parseMultipart(contentType: string, body: Buffer): Part[] {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (boundary === undefined) return []
  const mark = Buffer.from(`--${boundary}`)
  const parts: Part[] = []
  let start = body.indexOf(mark)
  while (start >= 0) {
    const from = start + mark.length + 2
    const next = body.indexOf(mark, from)
    if (next < 0) break
    const part = parsePart(body.subarray(from, next - 2))
    if (part) parts.push(part)
    start = next
  }
  return parts
}

function parsePart(bytes: Buffer): Part | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.subarray(0, end).toString('utf8')
  const name = /name="([^"]*)"/.exec(head)?.[1]
  if (name === undefined) return undefined
  const filename = /filename="([^"]*)"/.exec(head)?.[1]
  const content = bytes.subarray(end + 4)
  return {
    name,
    bytes: content,
    ...(filename === undefined ? {} : { filename: filename.replaceAll('%22', '"') }),
  }
}
