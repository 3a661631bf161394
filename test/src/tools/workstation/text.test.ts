import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../../src/protocol/sandbox.ts'
import { realSandbox } from '../../sandbox/real-sandbox.ts'
import { errorOf, textOf } from '../bench.ts'
import { workbench } from './workbench.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await realSandbox()
})
afterAll(() => sandbox.close())

describe('search_content', () => {
  it('article 16: an absolute folder, a word, a file type; literal unless asked; 50 results unless asked', async () => {
    using bench = workbench({ sandbox })
    bench.put('src/a.ts', `${'a.b\n'.repeat(60)}axb\n`)
    bench.put('src/a.md', 'a.b\n')
    const path = join(bench.workspace, 'src')
    const literal = textOf(await bench.call('search_content', { pattern: 'a.b', path, glob: '*.ts' }))
    expect(literal).toMatch(/^60 matches in total, 50 returned, use offset 50 for more\nsrc\/a\.ts:1: a\.b\n/)
    const regex = textOf(
      await bench.call('search_content', { pattern: 'a.b', path, glob: '*.ts', mode: 'regex' }),
    )
    expect(regex).toMatch(/^61 matches in total/)
    expect(textOf(await bench.call('search_content', { pattern: 'a.b', max_results: 1 }))).toMatch(
      /, 1 returned/,
    )
  })

  it('article 17: only the files, or the lines that match', async () => {
    using bench = workbench({ sandbox })
    bench.put('one', 'hit\nhit\n')
    bench.put('two', 'hit\n')
    expect(textOf(await bench.call('search_content', { pattern: 'hit', files_only: true }))).toBe(
      '2 files in total, 2 returned\none\ntwo',
    )
    expect(textOf(await bench.call('search_content', { pattern: 'hit' }))).toMatch(/one:2: hit\ntwo:1: hit$/)
  })
})

describe('lists and texts', () => {
  it('article 12: nothing is cut silently: the fact, what remains, and how to get it', async () => {
    using bench = workbench({ sandbox })
    for (let i = 0; i < 30; i++) bench.put(`d/${i}`, 'hit\n')
    bench.put('long', `${'字'.repeat(5_000)}\n${'x\n'.repeat(2_000)}`)
    const cut: [string, object, RegExp][] = [
      ['list_directory', { path: 'd', limit: 10 }, /30 entries in total, 10 returned, use offset 10/],
      ['find_files', { path: 'd', limit: 10 }, /30 files in total, 10 returned, use offset 10/],
      [
        'search_content',
        { pattern: 'hit', max_results: 10 },
        /30 matches in total, 10 returned, use offset 10/,
      ],
      ['disk_usage', { path: 'd', limit: 10 }, /30 entries in total, 10 returned, use offset 10/],
      ['list_processes', { limit: 1 }, /\d+ processes in total, 1 returned, use offset 1/],
      [
        'read_file',
        { path: 'long' },
        /4000 more characters in this line[\s\S]*lines remain, go on with start_line/,
      ],
      [
        'run_command',
        { command: 'seq 1 5000' },
        /characters left out; the whole output is in "output:[0-9a-f]+\.log"/,
      ],
    ]
    for (const [name, args, told] of cut) expect(textOf(await bench.call(name, args)), name).toMatch(told)
  })

  it('article 24: M in total, N returned, use offset for more; a page in the middle and the last one', async () => {
    using bench = workbench({ sandbox })
    for (let i = 0; i < 25; i++) bench.put(`d/${String(i).padStart(2, '0')}`, 'x')
    const page = (offset: number) => bench.call('find_files', { path: 'd', limit: 10, offset })
    expect(await page(0)).toMatchObject({ truncated: { total: 25, returned: 10, next: 10 } })
    expect(textOf(await page(10))).toMatch(/^25 files in total, 10 returned, use offset 20 for more\nd\/10/)
    expect(textOf(await page(20))).toMatch(/^25 files in total, 5 returned\nd\/20/)
  })
})

describe('text_stats', () => {
  it('counts lines, words, Chinese and other characters, in any encoding and in pieces', async () => {
    using bench = workbench({ sandbox })
    bench.put('a.txt', 'hello world\n\n审批 done 😀\n最后')
    expect(await bench.call('text_stats', { path: 'a.txt' })).toMatchObject({
      ok: true,
      data: {
        lines: 4,
        blank_lines: 1,
        words: 7,
        characters: 25,
        cjk_characters: 4,
        longest_line_characters: 11,
        encoding: 'utf-8',
      },
    })
    bench.put('large', `${'字'.repeat(99)}\n`.repeat(20_000))
    expect(await bench.call('text_stats', { path: 'large' })).toMatchObject({
      data: { lines: 20_000, cjk_characters: 1_980_000, longest_line_characters: 99 },
    })
    bench.put('empty', '')
    expect(await bench.call('text_stats', { path: 'empty' })).toMatchObject({
      data: { lines: 0, characters: 0 },
    })
    bench.put('binary', Buffer.from([0, 1, 2]))
    expect(errorOf(await bench.call('text_stats', { path: 'binary' })).type).toBe('refused')
  })
})

describe('diff_files', () => {
  it('shows what changed as a unified diff, also between encodings, and says when nothing did', async () => {
    using bench = workbench({ sandbox })
    bench.put('utf8', '这一行是第一行文字\n新的第二行文字\n第三行文字没有变\n')
    bench.put('old', '一\n二\n三\n')
    bench.put('new', '一\n贰\n三\n')
    bench.put("it's gbk", iconv.encode('这一行是第一行文字\n旧的第二行文字\n第三行文字没有变\n', 'gb18030'))
    expect(textOf(await bench.call('diff_files', { before: 'old', after: 'new' }))).toBe(
      '--- old\n+++ new\n@@ -1,3 +1,3 @@\n 一\n-二\n+贰\n 三',
    )
    expect(textOf(await bench.call('diff_files', { before: 'old', after: 'old' }))).toBe(
      'The files are the same.',
    )
    expect(
      textOf(await bench.call('diff_files', { before: "it's gbk", after: 'utf8', context: 0 })),
    ).toContain('-旧的第二行文字\n+新的第二行文字')
    bench.put('spaced', '一\n二 \n三\n')
    const lenient = { before: 'old', after: 'spaced', ignore_space: true }
    expect(textOf(await bench.call('diff_files', lenient))).toBe('The files are the same.')
  })
})

describe('read_latest', () => {
  it('article 37: finds the file changed last and reads it in one call', async () => {
    using bench = workbench({ sandbox })
    for (const [name, time] of [
      ['conf/old.yaml', 1_700_000_000],
      ['conf/new.yaml', 1_700_000_100],
      ['conf/newest.txt', 1_700_000_200],
    ] as const)
      utimesSync(bench.put(name, `name: ${name}\n`), time, time)
    const text = textOf(await bench.call('read_latest', { pattern: '*.yaml' }))
    expect(text).toBe(
      'conf/new.yaml, changed 2023-11-14T22:15:00.000Z, is the newest of 2 files\n1: name: conf/new.yaml',
    )
    expect(errorOf(await bench.call('read_latest', { pattern: '*.toml' }))).toMatchObject({
      type: 'not_found',
    })
  })
})
