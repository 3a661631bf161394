import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { errorOf, leftovers, textOf, toolBench } from '../bench.ts'

/** A small disk takes root with all its rights; containers often take some of them away. */
const MAY_MOUNT = process.getuid?.() === 0 && spawnSync('/usr/bin/unshare', ['-m', 'true']).status === 0

describe('write_file', () => {
  it('makes the folders and says what it wrote', async () => {
    using bench = toolBench()
    expect(textOf(await bench.call('write_file', { path: 'a/b/c.md', content: '一\n二\n' }))).toBe(
      'Wrote a/b/c.md: 8 bytes, 2 lines, utf-8.',
    )
    expect(bench.get('a/b/c.md')).toBe('一\n二\n')
    expect(leftovers(bench.workspace)).toEqual([])
  })

  it('keeps mode, mark and encoding of the old file', async () => {
    using bench = toolBench()
    bench.put('run.sh', '#!/bin/sh\n', 0o755)
    chmodSync(join(bench.workspace, 'run.sh'), 0o755)
    bench.put('bom.txt', '\ufeff老文件')
    bench.put('gbk.txt', iconv.encode('这是一个旧的文本文件，内容是中文。', 'gbk'))
    await bench.call('write_file', { path: 'run.sh', content: '#!/bin/sh\ntrue\n' })
    await bench.call('write_file', { path: 'bom.txt', content: '新文件' })
    await bench.call('write_file', { path: 'gbk.txt', content: '新的内容' })
    expect(statSync(join(bench.workspace, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(bench.get('bom.txt')).toBe('\ufeff新文件')
    expect(statSync(join(bench.workspace, 'gbk.txt')).size).toBe(8)
  })

  it('F6: writes UTF-8 rather than damage what the old encoding cannot hold', async () => {
    using bench = toolBench()
    bench.put('latin.txt', Buffer.from('caf\u00e9 ferm\u00e9 d\u00e9sol\u00e9', 'latin1'))
    expect(textOf(await bench.call('write_file', { path: 'latin.txt', content: '中文' }))).toContain('utf-8')
    expect(bench.get('latin.txt')).toBe('中文')
  })

  it.runIf(process.getuid?.() === 0)('what it makes belongs to the owner of the workspace', async () => {
    using bench = toolBench()
    chownSync(bench.workspace, 65534, 65534)
    await bench.call('write_file', { path: 'new/file', content: 'x' })
    for (const path of ['new', 'new/file']) expect(statSync(join(bench.workspace, path)).uid).toBe(65534)
  })

  it.each(['.git/config', 'sub/.git/hooks/pre-commit', '.GIT/config', '.git', 'link/config'])(
    'S18: writes nothing that git itself reads: %s',
    async (path) => {
      using bench = toolBench()
      mkdirSync(join(bench.workspace, '.git'))
      symlinkSync('.git', join(bench.workspace, 'link'))
      const error = errorOf(await bench.call('write_file', { path, content: '[filter "x"]\nclean = id' }))
      expect(error.type).toBe('refused')
    },
  )

  it('writes what only sounds like git', async () => {
    using bench = toolBench()
    for (const path of ['.gitignore', 'git/config', 'a.git/config'])
      expect(textOf(await bench.call('write_file', { path, content: 'x' }))).toContain('Wrote')
  })

  it('F11: refuses when the file changed between the call and its start', async () => {
    using bench = toolBench()
    bench.put('a', 'old')
    const changed = await bench.call('write_file', { path: 'a', content: 'mine' }, () =>
      bench.put('a', 'theirs'),
    )
    expect(errorOf(changed).message).toContain('has changed')
    const appeared = await bench.call('write_file', { path: 'b', content: 'mine' }, () =>
      bench.put('b', 'theirs'),
    )
    expect(errorOf(appeared).type).toBe('refused')
    expect([bench.get('a'), bench.get('b')]).toEqual(['theirs', 'theirs'])
  })

  it('F9: refuses more than 10 MB and leaves the old file', async () => {
    using bench = toolBench()
    bench.put('a', 'old')
    expect(
      errorOf(await bench.call('write_file', { path: 'a', content: 'x'.repeat(10 * 1024 * 1024 + 1) })).type,
    ).toBe('limit')
    expect(bench.get('a')).toBe('old')
  })

  it.runIf(MAY_MOUNT)('F9: on a full disk the old file stays whole, and nothing half is left', async () => {
    using bench = toolBench()
    const disk = join(bench.workspace, 'disk')
    mkdirSync(disk)
    execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    try {
      bench.put('disk/a', 'old')
      const full = await bench.call('write_file', { path: 'disk/a', content: 'x'.repeat(2 * 1024 * 1024) })
      expect(errorOf(full).message).toMatch(/space|full/i)
      expect(bench.get('disk/a')).toBe('old')
      expect(leftovers(disk)).toEqual([])
    } finally {
      execFileSync('/usr/bin/umount', [disk])
    }
  })

  it('refuses a folder, and a path through a file', async () => {
    using bench = toolBench()
    bench.put('file', '')
    expect(errorOf(await bench.call('write_file', { path: 'file/x', content: '' })).message).toContain(
      'a file where a folder should be',
    )
    expect(errorOf(await bench.call('write_file', { path: 'new/', content: '' })).message).toContain(
      'is a folder',
    )
    expect(errorOf(await bench.call('write_file', { path: '.', content: '' })).type).toBe('refused')
  })
})
