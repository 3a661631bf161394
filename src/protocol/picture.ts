/** Pictures that every model with eyes can read, recognised by their bytes and never by their name. Pure. */

/** What a picture's bytes say about it. */
export interface PictureFacts {
  readonly mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** Larger sides are refused by providers, and a refused picture would spoil every later request. */
export const PICTURE_SIDE = 8_000
/** Providers take 5 MB of base64. */
export const PICTURE_BYTES = 3_700_000

/** Kind and size of a picture, or undefined when the bytes are none, or one that providers refuse. */
export function pictureFacts(bytes: Uint8Array): PictureFacts | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const facts = png(view) ?? gif(view) ?? webp(view) ?? jpeg(view)
  if (!facts || facts.width < 1 || facts.height < 1) return undefined
  return facts.width > PICTURE_SIDE || facts.height > PICTURE_SIDE ? undefined : facts
}

/**
 * The facts of a whole file. One that was cut off on its way is refused: providers answer it with an
 * error, and it would be in every later request.
 */
export function wholePicture(bytes: Uint8Array): PictureFacts | undefined {
  const facts = pictureFacts(bytes)
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return facts && hasEnd(view, facts.mime) ? facts : undefined
}

/** Programs append data of their own, so the end is looked for near the end. */
function hasEnd(view: Buffer, mime: PictureFacts['mime']): boolean {
  switch (mime) {
    case 'image/png':
      return view.subarray(-1_024).includes('IEND', 0, 'latin1')
    case 'image/jpeg':
      return view.subarray(-65_536).includes(Buffer.from([0xff, 0xd9]))
    case 'image/gif':
      return view.subarray(-1_024).includes(0x3b)
    case 'image/webp':
      return view.readUInt32LE(4) <= view.length - 8
  }
}

function png(view: Buffer): PictureFacts | undefined {
  if (view.length < 24 || view.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined
  return { mime: 'image/png', width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
}

function gif(view: Buffer): PictureFacts | undefined {
  if (view.length < 10 || !/^GIF8[79]a$/.test(view.toString('latin1', 0, 6))) return undefined
  return { mime: 'image/gif', width: view.readUInt16LE(6), height: view.readUInt16LE(8) }
}

function webp(view: Buffer): PictureFacts | undefined {
  if (view.length < 30 || view.toString('latin1', 0, 4) !== 'RIFF') return undefined
  const kind = view.toString('latin1', 8, 16)
  const size = webpSize(kind, view)
  return size && { mime: 'image/webp', ...size }
}

/** Lossy, lossless and extended files keep their size in different places (RFC 9649). */
function webpSize(kind: string, view: Buffer): { width: number; height: number } | undefined {
  switch (kind) {
    case 'WEBPVP8 ':
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff }
    case 'WEBPVP8L': {
      const bits = view.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 'WEBPVP8X':
      return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Walks the segments to the frame header; its place depends on what the camera wrote before it. */
function jpeg(view: Buffer): PictureFacts | undefined {
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 < view.length && view[at] === 0xff) {
    const marker = view[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame)
      return { mime: 'image/jpeg', height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) }
    at += 2 + view.readUInt16BE(at + 2)
  }
  return undefined
}
