import { describe, expect, it } from 'vitest'
import { png } from '../../../support/pictures.ts'
import { errorOf, textOf, toolBench } from '../bench.ts'

describe('read_file on a picture', () => {
  it('returns it as it is, with its size', async () => {
    using bench = toolBench()
    const bytes = png(640, 480)
    bench.put('shot.png', bytes)
    const result = await bench.call('read_file', { path: 'shot.png' })
    expect(textOf(result)).toBe('image/png, 640 × 480 pixels, 64 bytes; the picture follows.')
    expect(result).toMatchObject({ images: [{ mime: 'image/png', base64: bytes.toString('base64') }] })
  })

  it('is told by its bytes, not by its name', async () => {
    using bench = toolBench()
    bench.put('export.bin', png(8, 8))
    expect(await bench.call('read_file', { path: 'export.bin' })).toMatchObject({
      images: [{ mime: 'image/png' }],
    })
  })

  it('refuses one that providers refuse, and says how to make it smaller', async () => {
    using bench = toolBench()
    bench.put('large.png', png(10, 10, 3_700_001))
    bench.put('wide.png', png(9_000, 10))
    expect(errorOf(await bench.call('read_file', { path: 'large.png' }))).toMatchObject({
      type: 'limit',
      hint: expect.stringContaining('resize'),
    })
    expect(errorOf(await bench.call('read_file', { path: 'wide.png' })).type).toBe('refused')
  })
})
