import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { modelCopy } from '../../../src/tools/index.ts'
import { textOf, toolBench } from './bench.ts'

describe('the model’s copy', () => {
  it('of 8,192 characters is whole', async () => {
    using bench = toolBench()
    const text = 'x'.repeat(8_192)
    expect(await modelCopy(text, { privateDir: bench.privateDir, callId: 'c' })).toEqual({ text })
  })

  it('of more keeps 3,000 at each end and says how many were left out and how to read them', async () => {
    using bench = toolBench()
    const text = `${'a'.repeat(3_000)}${'b'.repeat(2_193)}${'c'.repeat(3_000)}`
    const copy = await modelCopy(text, { privateDir: bench.privateDir, callId: 'c' })
    expect(copy.text).toMatch(
      /^a{3000}\n… 2193 characters left out; read_file or grep with path "output:[0-9a-f]{16}\.txt" shows them …\nc{3000}$/,
    )
    expect(readFileSync(copy.fullPath ?? '', 'utf8')).toBe(text)
  })

  it('the name it gives can be read', async () => {
    using bench = toolBench()
    const copy = await modelCopy(`first\n${'x\n'.repeat(9_000)}`, {
      privateDir: bench.privateDir,
      callId: '../../etc/passwd',
    })
    const name = /output:[0-9a-f]{16}\.txt/.exec(copy.text)?.[0] ?? ''
    expect(textOf(await bench.call('read_file', { path: name, end_line: 1 }))).toMatch(/^1: first\n/)
    expect(textOf(await bench.call('grep', { path: name, pattern: 'first' }))).toContain(`${name}:1: first`)
  })

  it('R9: a code point is never cut', async () => {
    using bench = toolBench()
    for (const shift of ['', 'a']) {
      const copy = await modelCopy(shift + '🎉'.repeat(5_000), { privateDir: bench.privateDir, callId: 'c' })
      expect(copy.text.isWellFormed()).toBe(true)
    }
  })

  it('S17: an output name reaches nothing but kept outputs', async () => {
    using bench = toolBench()
    for (const path of ['output:../x', 'output:/etc/passwd', 'output:0123456789abcdef.json']) {
      expect((await bench.call('read_file', { path })).ok).toBe(false)
    }
  })
})
