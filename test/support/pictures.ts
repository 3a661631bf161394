/** Head and end of a PNG of that size; enough for whoever looks at no pixels. */
export function png(width: number, height: number, bytes = 64): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.write('\x89PNG\r\n\x1a\n', 0, 'latin1')
  buffer.writeUInt32BE(width, 16)
  buffer.writeUInt32BE(height, 20)
  buffer.write('IEND', bytes - 8, 'latin1')
  return buffer
}

/** Head and end of a JPEG whose size stands behind a segment of another program. */
export function jpeg(width: number, height: number): Buffer {
  const note = Buffer.from([0xff, 0xe1, 0x00, 0x06, 1, 2, 3, 4])
  const frame = Buffer.from([0xff, 0xc0, 0x00, 0x11, 8, 0, 0, 0, 0, 3, 0, 0, 0, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from([0xff, 0xd8]), note, frame, Buffer.from([0xff, 0xd9])])
}
