import { expect, it } from 'vitest'
import { createLineReader } from '../../../../src/mcp/client/line-reader.ts'

function reader(longest: number) {
  const lines: string[] = []
  const long: { head: string; tail: string }[] = []
  const made = createLineReader(longest, {
    line: (text) => lines.push(text),
    tooLong: (ends) => long.push(ends),
  })
  return { lines, long, add: (text: string) => made.add(Buffer.from(text)) }
}

it('lines come whole, however they are cut on the way', () => {
  const { lines, add } = reader(100)
  for (const piece of ['{"a":', '1}\n{"b"', ':2}\n', '\n{"c":3}\n']) add(piece)
  expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
})

it('M7: a line that is too long is drained to its end, its ends kept, and the next one is read', () => {
  const { lines, long, add } = reader(10)
  add('{"id":7,')
  for (let i = 0; i < 1_000; i++) add('x'.repeat(1_000))
  add('}\n{"ok":1}\n')
  expect(long).toHaveLength(1)
  expect(long[0]?.head.startsWith('{"id":7,')).toBe(true)
  expect(long[0]?.tail.endsWith('xx}')).toBe(true)
  expect(long[0]?.tail.length).toBeLessThanOrEqual(512)
  expect(lines).toEqual(['{"ok":1}'])
})
