import { execFileSync, spawn } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInside } from '../../../src/tools/workspace-path.ts'
import { errorOf, textOf, toolBench } from './bench.ts'

const OUTSIDE = [
  '../private/x',
  '/etc/passwd',
  'a/../../private/x',
  '../ws-evil/x',
  'C:\\x',
  '\\\\host\\share',
  '',
  '~',
  '~/x',
  'a\0b',
]

describe('F1: names', () => {
  it.each(OUTSIDE)('%j is refused by every file tool', async (path) => {
    using bench = toolBench()
    mkdirSync(`${bench.workspace}-evil`)
    writeFileSync(`${bench.workspace}-evil/x`, 'evil')
    writeFileSync(join(bench.privateDir, 'x'), 'secret')
    for (const [name, args] of [
      ['read_file', { path }],
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_string: 'e', new_string: 'x' }],
      ['grep', { path, pattern: 'e' }],
      ['glob', { path }],
      ['feishu_send_file', { path }],
    ] as const) {
      expect(['refused', 'invalid_argument']).toContain(errorOf(await bench.call(name, args)).type)
    }
    expect(readFileSync(join(bench.privateDir, 'x'), 'utf8')).toBe('secret')
    expect(bench.sent).toEqual([])
  })

  it('%2e%2e is a literal name, never decoded', async () => {
    using bench = toolBench()
    bench.put('%2e%2e/x', 'literal')
    expect(textOf(await bench.call('read_file', { path: '%2e%2e/x' }))).toBe('1: literal')
  })

  it('inside is decided by components', () => {
    expect(isInside('/data/ws', '/data/ws')).toBe(true)
    expect(isInside('/data/ws', '/data/ws/..a')).toBe(true)
    expect(isInside('/data/ws', '/data/ws-evil')).toBe(false)
    expect(isInside('/data/ws', '/data')).toBe(false)
  })

  it('F7: odd but legal names work in write, read, list and send alike', async () => {
    using bench = toolBench()
    for (const name of [
      'a b',
      "it's",
      'tab\there',
      '-rf',
      'trailing.',
      'é-nfc',
      'e\u0301-nfd',
      '报表 2026.txt',
      'x'.repeat(255),
    ]) {
      textOf(await bench.call('write_file', { path: name, content: 'content' }))
      expect(textOf(await bench.call('read_file', { path: name }))).toBe('1: content')
      textOf(await bench.call('wecom_send_file', { path: name }))
    }
    expect(bench.sent).toHaveLength(9)
    expect(textOf(await bench.call('glob', {}))).toMatch(/^9 files in total/)
    expect(errorOf(await bench.call('write_file', { path: 'x'.repeat(256), content: '' })).type).toBe(
      'invalid_argument',
    )
  })
})

describe('F2: links', () => {
  it('a link that leads outside is refused, whether of a file, a folder or a chain', async () => {
    using bench = toolBench()
    writeFileSync(join(bench.privateDir, 'secret'), 'secret')
    symlinkSync(join(bench.privateDir, 'secret'), join(bench.workspace, 'file'))
    symlinkSync(bench.privateDir, join(bench.workspace, 'folder'))
    symlinkSync('file', join(bench.workspace, 'chain'))
    for (const path of ['file', 'folder/secret', 'chain']) {
      expect(errorOf(await bench.call('read_file', { path })).type).toBe('refused')
      expect(errorOf(await bench.call('write_file', { path, content: 'x' })).type).toBe('refused')
      expect(errorOf(await bench.call('grep', { path, pattern: 'secret' })).type).toBe('refused')
      expect(errorOf(await bench.call('feishu_send_file', { path })).type).toBe('refused')
    }
    expect(readFileSync(join(bench.privateDir, 'secret'), 'utf8')).toBe('secret')
    expect(textOf(await bench.call('grep', { pattern: 'secret' }))).toBe('No matches.')
  })

  it('loops and dangling links are refused; nothing appears at their ends', async () => {
    using bench = toolBench()
    symlinkSync('loop', join(bench.workspace, 'loop'))
    symlinkSync(join(bench.privateDir, 'new'), join(bench.workspace, 'dangling'))
    for (const path of ['loop', 'dangling', 'dangling/deep/x']) {
      expect((await bench.call('read_file', { path })).ok).toBe(false)
      expect(errorOf(await bench.call('write_file', { path, content: 'x' })).type).toBe('refused')
    }
    expect(() => readFileSync(join(bench.privateDir, 'new'))).toThrow()
  })

  it('a link inside the workspace is followed to its file', async () => {
    using bench = toolBench()
    bench.put('real.txt', 'old')
    symlinkSync('real.txt', join(bench.workspace, 'alias'))
    textOf(await bench.call('write_file', { path: 'alias', content: 'new' }))
    expect(bench.get('real.txt')).toBe('new')
    expect(textOf(await bench.call('read_file', { path: 'alias' }))).toBe('1: new')
  })

  it('a folder exchanged for a link while calls run never leads outside', async () => {
    using bench = toolBench()
    writeFileSync(join(bench.privateDir, 'f'), 'secret')
    const folder = join(bench.workspace, 'd')
    mkdirSync(folder)
    writeFileSync(join(folder, 'f'), 'inside')
    symlinkSync(bench.privateDir, join(bench.workspace, 'evil'))
    // Another process swaps the two as fast as it can, until the calls below are done.
    const swap = `cd ${bench.workspace}; while [ ! -e stop ]; do mv -T d good; mv -T evil d; mv -T d evil; mv -T good d; done`
    const attacker = spawn('/bin/sh', ['-c', swap], { stdio: 'ignore' })
    const over = new Promise((resolve) => attacker.once('exit', resolve))
    let reads = 0
    for (let round = 0; round < 300 || (reads === 0 && round < 5_000); round++) {
      const read = await bench.call('read_file', { path: 'd/f' })
      if (read.ok) {
        reads++
        expect(read.text).not.toContain('secret')
      }
      await bench.call('write_file', { path: 'd/f', content: 'written' })
    }
    writeFileSync(join(bench.workspace, 'stop'), '')
    await over
    expect(reads).toBeGreaterThan(0)
    expect(readFileSync(join(bench.privateDir, 'f'), 'utf8')).toBe('secret')
  })
})

describe('F3, F4: what is no plain file', () => {
  it('F3: a file with a second name may be read but not written', async () => {
    using bench = toolBench()
    bench.put('a', 'text')
    linkSync(join(bench.workspace, 'a'), join(bench.workspace, 'b'))
    expect(textOf(await bench.call('read_file', { path: 'b' }))).toBe('1: text')
    expect(errorOf(await bench.call('write_file', { path: 'b', content: 'x' })).message).toContain('2 names')
    expect(
      errorOf(
        await bench.call('edit_file', { path: 'b', old_string: 't', new_string: 'x', replace_all: true }),
      ).type,
    ).toBe('refused')
  })

  it('F4, M15: a pipe, a socket and a folder are refused at once, and never block', async () => {
    using bench = toolBench()
    execFileSync('/usr/bin/mkfifo', [join(bench.workspace, 'pipe')])
    mkdirSync(join(bench.workspace, 'folder'))
    const server = createServer().listen(join(bench.workspace, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    const paths = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'socket', 'folder']
    const results = await Promise.all(paths.map((path) => bench.call('read_file', { path })))
    expect(results.map((result) => errorOf(result).type)).toEqual(paths.map(() => 'refused'))
    for (const path of ['pipe', 'socket', 'folder']) {
      expect(errorOf(await bench.call('write_file', { path, content: 'x' })).type).toBe('refused')
      expect(errorOf(await bench.call('feishu_send_file', { path })).type).toBe('refused')
    }
    expect(textOf(await bench.call('grep', { pattern: 'x' }))).toBe('No matches.')
    server.close()
  })

  it('F11: two writes to one file do not interleave', async () => {
    using bench = toolBench()
    const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000))
    await Promise.all(contents.map((content) => bench.call('write_file', { path: 'f', content })))
    expect(contents).toContain(bench.get('f'))
  })
})
