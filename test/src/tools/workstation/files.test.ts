import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, textOf } from '../bench.ts'
import { workbench } from './workbench.ts'

describe('list_directory', () => {
  it('article 7: only the folder itself, nothing hidden, 200 entries at once, sorted as asked', async () => {
    using bench = workbench()
    bench.put('b.txt', '12345')
    bench.put('a/deep.txt', 'x')
    bench.put('.hidden', 'x')
    utimesSync(join(bench.workspace, 'b.txt'), 1_700_000_000, 1_700_000_000)
    const text = textOf(await bench.call('list_directory', {}))
    expect(text).toMatch(
      /^2 entries in total, 2 returned\na\/ {2}folder {2}\S+Z\nb\.txt {2}5 bytes {2}2023-11-14T22:13:20Z\n/,
    )
    expect(text).toContain('(1 hidden left out; hidden: true shows them)')
    expect(textOf(await bench.call('list_directory', { recursive: true, hidden: true }))).toMatch(
      /\.hidden[\s\S]*a\/deep\.txt/,
    )
    bench.put('large.bin', 'x'.repeat(100))
    expect(textOf(await bench.call('list_directory', { sort: 'size' }))).toMatch(/returned\nlarge\.bin/)
    expect(textOf(await bench.call('list_directory', { sort: 'modified' }))).toMatch(/\nb\.txt[^\n]*\n\(/)
    for (let i = 0; i < 250; i++) bench.put(`many/${String(i).padStart(3, '0')}`, '')
    expect(textOf(await bench.call('list_directory', { path: 'many' }))).toMatch(
      /^250 entries in total, 200 returned, use offset 200 for more\n000 /,
    )
    expect(textOf(await bench.call('list_directory', { path: 'many', offset: 200 }))).toMatch(
      /50 returned\n200 /,
    )
  })

  it('F2, F7: links are shown and not followed; a name with a line break stays one line', async () => {
    using bench = workbench()
    writeFileSync(join(bench.privateDir, 'secret'), 'x')
    symlinkSync(bench.privateDir, join(bench.workspace, 'out'))
    bench.put('two\nlines', 'x')
    const text = textOf(await bench.call('list_directory', { recursive: true }))
    expect(text).toContain('out  link')
    expect(text).not.toContain('secret')
    expect(text).toContain('"two\\nlines"  1 bytes')
    expect(errorOf(await bench.call('list_directory', { path: 'out' })).type).toBe('refused')
  })

  it('F5: 100,000 entries are listed within a second of work, a page at a time', async () => {
    using bench = workbench()
    const folder = join(bench.workspace, 'crowd')
    mkdirSync(folder)
    for (let i = 0; i < 100_000; i++) writeFileSync(join(folder, `entry-${String(i).padStart(6, '0')}`), '')
    const before = process.memoryUsage().rss
    const started = process.cpuUsage()
    const text = textOf(await bench.call('list_directory', { path: 'crowd', offset: 50_000 }))
    const used = process.cpuUsage(started)
    expect(text).toMatch(/^100000 entries in total, \d+ returned, use offset \d+ for more\nentry-050000 /)
    expect((used.user + used.system) / 1_000).toBeLessThan(3_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  }, 60_000)
})

describe('read_file', () => {
  it('article 8: range by lines or by count, numbers on or off, a cap, and how many lines remain', async () => {
    using bench = workbench()
    bench.put('log', Array.from({ length: 1_000 }, (_, i) => `row ${i + 1}\n`).join(''))
    expect(textOf(await bench.call('read_file', { path: 'log', start_line: 3, line_count: 2 }))).toBe(
      '3: row 3\n4: row 4\n(lines 3–4 of 1000; 996 lines remain, go on with start_line 5)',
    )
    expect(
      textOf(await bench.call('read_file', { path: 'log', line_count: 1, line_numbers: false })),
    ).toMatch(/^row 1\n/)
    const whole = await bench.call('read_file', { path: 'log' })
    expect(whole).toMatchObject({ ok: true, truncated: { total: 1_000, returned: 400, next: 401 } })
    const both = await bench.call('read_file', { path: 'log', end_line: 5, line_count: 2 })
    expect(errorOf(both)).toMatchObject({
      type: 'invalid_argument',
      hint: expect.stringContaining('For example'),
    })
  })
})

describe('write_file', () => {
  it('article 9: writes a file with its folders, replaces one whole, says what it wrote', async () => {
    using bench = workbench()
    const text = textOf(await bench.call('write_file', { path: 'notes/a.md', content: '# 标题\n' }))
    expect(text).toBe('Wrote notes/a.md: 9 bytes, 1 lines, utf-8.')
    expect(bench.get('notes/a.md')).toBe('# 标题\n')
    expect(textOf(await bench.call('write_file', { path: 'notes/a.md', content: '' }))).toMatch(/^Replaced/)
  })
})

describe('file_info', () => {
  it('article 10: one file in detail, apart from listing folders', async () => {
    using bench = workbench()
    bench.put(
      'gbk.txt',
      Buffer.from([0xb9, 0xa4, 0xd7, 0xf7, 0xb1, 0xa8, 0xb8, 0xe6, 0xc9, 0xf3, 0xc5, 0xfa]),
    )
    bench.put('run.sh', 'echo\n', 0o750)
    symlinkSync('run.sh', join(bench.workspace, 'link'))
    expect(await bench.call('file_info', { path: 'gbk.txt' })).toMatchObject({
      ok: true,
      data: { kind: 'file', size_bytes: 12, encoding: 'gb18030', hard_links: 1 },
    })
    expect(await bench.call('file_info', { path: 'run.sh' })).toMatchObject({
      data: { mode: '0750', encoding: 'utf-8' },
    })
    expect(await bench.call('file_info', { path: 'link' })).toMatchObject({
      data: { kind: 'link', leads_to: 'run.sh' },
    })
    expect(await bench.call('file_info', { path: '.' })).toMatchObject({ data: { kind: 'folder' } })
  })
})

describe('every tool that takes a path', () => {
  const calls = (path: string): [string, object][] => [
    ['list_directory', { path }],
    ['read_file', { path }],
    ['write_file', { path, content: 'x' }],
    ['file_info', { path }],
    ['find_files', { path }],
    ['disk_usage', { path }],
    ['search_content', { pattern: 'x', path }],
    ['text_stats', { path }],
    ['read_latest', { path }],
    ['diff_files', { before: path, after: 'inside' }],
    ['diff_files', { before: 'inside', after: path }],
  ]

  it.each(['../x', '/etc/passwd', '~/.ssh/id_rsa', '', 'a\0b', '../ws-evil/x'])(
    'article 30, F1: refuses %j in the tool itself',
    async (path) => {
      using bench = workbench()
      bench.put('inside', 'x')
      for (const [name, args] of calls(path)) {
        const { type } = errorOf(await bench.call(name, args))
        expect(['refused', 'invalid_argument'], `${name} ${path}`).toContain(type)
      }
    },
  )

  it('article 30, F2: refuses what a link leads to', async () => {
    using bench = workbench()
    bench.put('inside', 'x')
    writeFileSync(join(bench.privateDir, 'secret'), 'x')
    symlinkSync(bench.privateDir, join(bench.workspace, 'out'))
    for (const [name, args] of calls('out/secret'))
      expect(errorOf(await bench.call(name, args)).type, name).toBe('refused')
  })
})
