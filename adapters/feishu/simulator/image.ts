/** What the first bytes of an image tell. */
export interface ImageFacts {
  readonly format: 'png' | 'gif' | 'jpeg' | 'webp' | 'bmp' | 'ico' | 'tiff' | 'heic'
  /** 0 when the format hides it. */
  readonly width: number
  readonly height: number
}

/** Format and size by the first bytes; undefined when it is no image that the platform takes. */
export function sniffImage(bytes: Buffer): ImageFacts | undefined {
  const ascii = (from: number, to: number): string => bytes.subarray(from, to).toString('latin1')
  const has = (length: number): boolean => bytes.length >= length
  if (has(24) && bytes.readUInt32BE(0) === 0x89504e47)
    return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (has(10) && ascii(0, 3) === 'GIF')
    return { format: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (has(4) && bytes.readUInt16BE(0) === 0xffd8) return { format: 'jpeg', ...jpegSize(bytes) }
  if (has(12) && ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP')
    return { format: 'webp', width: 0, height: 0 }
  if (has(26) && ascii(0, 2) === 'BM')
    return { format: 'bmp', width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) }
  if (has(8) && bytes.readUInt32BE(0) === 0x00000100)
    return { format: 'ico', width: bytes[6] ?? 0, height: bytes[7] ?? 0 }
  if (has(4) && (ascii(0, 4) === 'II*\0' || ascii(0, 4) === 'MM\0*'))
    return { format: 'tiff', width: 0, height: 0 }
  if (has(12) && /^ftyp(heic|heix|mif1)/.test(ascii(4, 12))) return { format: 'heic', width: 0, height: 0 }
  return undefined
}

/** Reads the frame header; 0 × 0 when there is none. */
function jpegSize(bytes: Buffer): { width: number; height: number } {
  let at = 2
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return { width: 0, height: 0 }
}
