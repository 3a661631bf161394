import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, textOf, toolBench } from '../bench.ts'

describe.each([
  ['with ripgrep', {}],
  ['without ripgrep', { ripgrep: 'none' as const }],
])('grep %s', (_name, options) => {
  it('finds literal text, sorted by path and line', async () => {
    using bench = toolBench(options)
    bench.put('b.txt', 'x\na.b\n')
    bench.put('a/1.txt', 'a.b\naxb\n审批 a.b\n')
    expect(textOf(await bench.call('grep', { pattern: 'a.b' }))).toBe(
      '3 matches in total, 3 returned\na/1.txt:1: a.b\na/1.txt:3: 审批 a.b\nb.txt:2: a.b',
    )
  })

  it('pages: the total, what was returned, and the offset for more', async () => {
    using bench = toolBench(options)
    bench.put('a', 'hit\n'.repeat(120))
    const first = await bench.call('grep', { pattern: 'hit' })
    expect(first).toMatchObject({ ok: true, truncated: { total: 120, returned: 50, next: 50 } })
    expect(textOf(first)).toMatch(/^120 matches in total, 50 returned, use offset 50 for more\na:1: hit\n/)
    const last = textOf(await bench.call('grep', { pattern: 'hit', offset: 100 }))
    expect(last).toMatch(/^120 matches in total, 20 returned\na:101: hit\n/)
  })

  it('can ignore case, list files only, keep to a glob, a folder or one file', async () => {
    using bench = toolBench(options)
    bench.put('src/a.ts', 'Hit\nhit\n')
    bench.put('src/b.md', 'hit\n')
    bench.put('.hidden/c.ts', 'hit\n')
    expect(textOf(await bench.call('grep', { pattern: 'HIT', ignore_case: true, path: 'src' }))).toMatch(
      /^3 matches/,
    )
    expect(textOf(await bench.call('grep', { pattern: 'hit', files_only: true, glob: '*.ts' }))).toBe(
      '2 files in total, 2 returned\n.hidden/c.ts\nsrc/a.ts',
    )
    expect(textOf(await bench.call('grep', { pattern: 'hit', path: 'src/a.ts' }))).toBe(
      '1 matches in total, 1 returned\nsrc/a.ts:2: hit',
    )
    expect(textOf(await bench.call('grep', { pattern: 'none' }))).toBe('No matches.')
  })

  it('F2: does not follow links out, and reads no pipe', async () => {
    using bench = toolBench(options)
    writeFileSync(join(bench.privateDir, 'secret'), 'hit')
    symlinkSync(bench.privateDir, join(bench.workspace, 'out'))
    symlinkSync(join(bench.privateDir, 'secret'), join(bench.workspace, 'file'))
    execFileSync('/usr/bin/mkfifo', [join(bench.workspace, 'pipe')])
    expect(textOf(await bench.call('grep', { pattern: 'hit' }))).toBe('No matches.')
  })
})

describe('grep', () => {
  it('a pattern is never an option, and no configuration of the workspace is read', async () => {
    using bench = toolBench()
    bench.put('a', '--pre=touch pwned\n')
    bench.put('.ripgreprc', '--pre=/bin/false\n')
    expect(textOf(await bench.call('grep', { pattern: '--pre=touch pwned' }))).toContain(
      'a:1: --pre=touch pwned',
    )
  })

  it('regular expressions are linear: no pattern hangs', async () => {
    using bench = toolBench()
    bench.put('a', `${'a'.repeat(30_000)}!\n`)
    const result = await bench.call('grep', { pattern: '(a+)+$', mode: 'regex' })
    expect(textOf(result)).toBe('No matches.')
    expect(textOf(await bench.call('grep', { pattern: '^a+!$', mode: 'regex' }))).toMatch(/^1 matches/)
  })

  it('a bad regular expression is explained', async () => {
    using bench = toolBench()
    bench.put('a', 'x')
    expect(errorOf(await bench.call('grep', { pattern: '(', mode: 'regex' }))).toMatchObject({
      type: 'invalid_argument',
      message: expect.stringContaining('regex parse error'),
      hint: expect.stringContaining('literal'),
    })
  })

  it('without ripgrep, a stranger’s regular expression is not run', async () => {
    using bench = toolBench({ ripgrep: 'none' })
    expect(errorOf(await bench.call('grep', { pattern: 'a+', mode: 'regex' })).type).toBe('unavailable')
  })

  it('leaves out what .gitignore names, unless asked', async () => {
    using bench = toolBench()
    bench.put('.gitignore', 'build/\n')
    bench.put('build/a', 'hit')
    bench.put('src/a', 'hit')
    expect(textOf(await bench.call('grep', { pattern: 'hit' }))).toMatch(/^1 matches/)
    expect(textOf(await bench.call('grep', { pattern: 'hit', include_ignored: true }))).toMatch(/^2 matches/)
  })

  it('an abort ends the search', async () => {
    using bench = toolBench()
    bench.put('a', 'x')
    await expect(bench.call('grep', { pattern: 'x' }, undefined, AbortSignal.abort())).rejects.toThrow()
  })
})
