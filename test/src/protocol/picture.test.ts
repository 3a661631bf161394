import { describe, expect, it } from 'vitest'
import { pictureFacts, wholePicture } from '../../../src/protocol/picture.ts'
import { jpeg, png } from '../../support/pictures.ts'

const webp = (kind: string, rest: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.alloc(32)
  buffer.write('RIFF', 0, 'latin1')
  buffer.write(`WEBP${kind}`, 8, 'latin1')
  rest(buffer)
  return buffer
}

describe('pictures by their bytes', () => {
  it.each([
    ['PNG', png(640, 480), { mime: 'image/png', width: 640, height: 480 }],
    ['JPEG behind a camera’s notes', jpeg(1_920, 1_080), { mime: 'image/jpeg', width: 1_920, height: 1_080 }],
    [
      'GIF',
      Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0x40, 0x01, 0xc8, 0x00])]),
      { mime: 'image/gif', width: 320, height: 200 },
    ],
    [
      'lossy WebP',
      webp('VP8 ', (b) => {
        b.writeUInt16LE(100, 26)
        b.writeUInt16LE(50, 28)
      }),
      { mime: 'image/webp', width: 100, height: 50 },
    ],
    [
      'lossless WebP',
      webp('VP8L', (b) => b.writeUInt32LE(99 | (49 << 14), 21)),
      { mime: 'image/webp', width: 100, height: 50 },
    ],
    [
      'extended WebP',
      webp('VP8X', (b) => {
        b.writeUIntLE(99, 24, 3)
        b.writeUIntLE(49, 27, 3)
      }),
      { mime: 'image/webp', width: 100, height: 50 },
    ],
  ])('%s', (_name, bytes, facts) => {
    expect(pictureFacts(bytes)).toEqual(facts)
  })

  it('what only claims to be one, has no size, or is too large for providers is none', () => {
    expect(pictureFacts(Buffer.from('<html>'))).toBeUndefined()
    expect(pictureFacts(Buffer.alloc(0))).toBeUndefined()
    expect(pictureFacts(png(0, 10))).toBeUndefined()
    expect(pictureFacts(png(8_001, 10))).toBeUndefined()
    expect(pictureFacts(jpeg(10, 10).subarray(0, 8))).toBeUndefined()
  })

  it('one that was cut off on its way is no whole picture', () => {
    const whole = [png(8, 8), jpeg(8, 8)]
    expect(whole.map((bytes) => wholePicture(bytes)?.width)).toEqual([8, 8])
    for (const bytes of whole) expect(wholePicture(bytes.subarray(0, -8))).toBeUndefined()
    const cut = webp('VP8X', (b) => {
      b.writeUInt32LE(1_000, 4)
      b.writeUIntLE(99, 24, 3)
      b.writeUIntLE(49, 27, 3)
    })
    expect(wholePicture(cut)).toBeUndefined()
  })
})
