import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scanLines } from '../../../../src/tools/files/line-scan.ts'

const folder = mkdtempSync(join(tmpdir(), 'yizhan-test-lines-'))

async function scan(
  text: string,
  first: number,
  last: number,
  skip = 0,
): Promise<{ lines: string[]; total: number | undefined }> {
  const path = join(folder, 'f')
  writeFileSync(path, text)
  const handle = await open(path)
  try {
    const range = { first, last, skip, size: Buffer.byteLength(text) }
    const window = await scanLines(handle, range, new AbortController().signal)
    return { lines: window.lines.map(String), total: window.total }
  } finally {
    await handle.close()
  }
}

it('agrees with splitting the text, wherever the lines and the range fall', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\u008a', '\u0b0b', 'é'), maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 6 }),
      async (sample, first, more) => {
        const all = sample.split('\n')
        if (all.at(-1) === '') all.pop()
        expect(await scan(sample, first, first + more)).toEqual({
          lines: all.slice(first - 1, first + more),
          total: all.length,
        })
      },
    ),
    { numRuns: 400 },
  )
  rmSync(folder, { recursive: true })
})

it('holds lines that cross the buffers, and bounds a line without end', async () => {
  const own = mkdtempSync(join(tmpdir(), 'yizhan-test-lines-'))
  const path = join(own, 'f')
  const long = 'x'.repeat(3 * 1024 * 1024)
  writeFileSync(path, `${long}\n${'y'.repeat(2 * 1024 * 1024 - 5)}\nend`)
  const handle = await open(path)
  const size = (await handle.stat()).size
  const { lines, total } = await scanLines(
    handle,
    { first: 1, last: 3, skip: 0, size },
    new AbortController().signal,
  )
  expect([lines.map((line) => line.length), total, String(lines[2])]).toEqual([[65_536, 65_536, 3], 3, 'end'])
  await handle.close()
  rmSync(own, { recursive: true })
})

it('counts to lines far inside, over all buffers, as splitting does', async () => {
  const own = mkdtempSync(join(tmpdir(), 'yizhan-test-lines-'))
  const path = join(own, 'f')
  const all = Array.from({ length: 150_000 }, (_, index) => `${index} ${'字'.repeat((index * 7) % 23)}`)
  writeFileSync(path, `${all.join('\n')}\n`)
  const handle = await open(path)
  const size = (await handle.stat()).size
  expect(size).toBeGreaterThan(5 * 1024 * 1024)
  for (const first of [1, 2, 4_097, 26_000, 77_777, 149_999, 150_000, 150_001]) {
    const range = { first, last: first + 1, skip: 0, size }
    const { lines, total } = await scanLines(handle, range, new AbortController().signal)
    expect([lines.map(String), total]).toEqual([all.slice(first - 1, first + 1), all.length])
  }
  await handle.close()
  rmSync(own, { recursive: true })
})
