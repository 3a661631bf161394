import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, textOf, toolBench } from '../bench.ts'

describe.each([
  ['with ripgrep', {}],
  ['without ripgrep', { ripgrep: 'none' as const }],
])('glob %s', (_name, options) => {
  it('lists files sorted; a pattern without a slash matches at any depth', async () => {
    using bench = toolBench(options)
    for (const path of ['b.md', 'src/a.ts', 'src/deep/c.ts', '.env.example', '.git/config'])
      bench.put(path, '')
    expect(textOf(await bench.call('glob', {}))).toBe(
      '4 files in total, 4 returned\n.env.example\nb.md\nsrc/a.ts\nsrc/deep/c.ts',
    )
    expect(textOf(await bench.call('glob', { pattern: '*.ts' }))).toBe(
      '2 files in total, 2 returned\nsrc/a.ts\nsrc/deep/c.ts',
    )
    expect(textOf(await bench.call('glob', { pattern: 'src/*.ts' }))).toBe(
      '1 files in total, 1 returned\nsrc/a.ts',
    )
    expect(textOf(await bench.call('glob', { path: 'src/deep' }))).toBe(
      '1 files in total, 1 returned\nsrc/deep/c.ts',
    )
    expect(textOf(await bench.call('glob', { pattern: '*.py' }))).toBe('No files.')
  })

  it('pages with the total', async () => {
    using bench = toolBench(options)
    for (let index = 0; index < 30; index++) bench.put(`f${String(index).padStart(2, '0')}`, '')
    const page = await bench.call('glob', { limit: 10, offset: 10 })
    expect(page).toMatchObject({ truncated: { total: 30, returned: 10, next: 20 } })
    expect(textOf(page)).toMatch(/^30 files in total, 10 returned, use offset 20 for more\nf10\n/)
  })

  it('F2: does not list behind links', async () => {
    using bench = toolBench(options)
    symlinkSync('/etc', join(bench.workspace, 'etc'))
    expect(textOf(await bench.call('glob', { pattern: '**/passwd' }))).toBe('No files.')
    expect(errorOf(await bench.call('glob', { path: 'etc' })).type).toBe('refused')
  })
})

describe('glob', () => {
  it('F7: a newline in a name does not make two files', async () => {
    using bench = toolBench()
    bench.put('one\ntwo', '')
    expect(textOf(await bench.call('glob', {}))).toBe('1 files in total, 1 returned\n"one\\ntwo"')
  })

  it('a file is no folder', async () => {
    using bench = toolBench()
    bench.put('a', '')
    mkdirSync(join(bench.workspace, 'empty'))
    expect(errorOf(await bench.call('glob', { path: 'a' })).type).toBe('refused')
    expect(textOf(await bench.call('glob', { path: 'empty' }))).toBe('No files.')
  })
})
