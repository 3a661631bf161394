import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { errorOf, textOf, toolBench } from '../bench.ts'

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join('\n')

describe('read_file', () => {
  it('numbers the lines; a short file needs no more words', async () => {
    using bench = toolBench()
    bench.put('a', 'one\ntwo\n')
    expect(await bench.call('read_file', { path: 'a' })).toEqual({ ok: true, text: '1: one\n2: two' })
  })

  it('says how many lines remain and how to go on', async () => {
    using bench = toolBench()
    bench.put('a', `${numbered(1, 1_000)}\n`)
    const result = await bench.call('read_file', { path: 'a', start_line: 10, end_line: 12 })
    expect(result).toEqual({
      ok: true,
      text: '10: line 10\n11: line 11\n12: line 12\n(lines 10–12 of 1000; 988 lines remain, go on with start_line 13)',
      truncated: { total: 1_000, returned: 3, next: 13 },
    })
  })

  it('without a range stops at 400 lines, or where a result would be cut', async () => {
    using bench = toolBench()
    bench.put('many', numbered(1, 1_000))
    bench.put('wide', `${'x'.repeat(900)}\n`.repeat(100))
    expect(textOf(await bench.call('read_file', { path: 'many' }))).toContain(
      '(lines 1–400 of 1000; 600 lines remain',
    )
    const wide = textOf(await bench.call('read_file', { path: 'wide' }))
    expect(wide).toContain('(lines 1–8 of 100; 92 lines remain, go on with start_line 9)')
    expect(wide.length).toBeLessThanOrEqual(8_192)
  })

  it('says where the file ends, that it is empty, and that a line does not exist', async () => {
    using bench = toolBench()
    bench.put('a', 'one\ntwo')
    bench.put('empty', '')
    expect(textOf(await bench.call('read_file', { path: 'a', start_line: 2 }))).toBe(
      '2: two\n(end of file, 2 lines in total)',
    )
    expect(textOf(await bench.call('read_file', { path: 'empty' }))).toBe('(the file is empty)')
    expect(textOf(await bench.call('read_file', { path: 'a', start_line: 9 }))).toBe(
      '(the file has 2 lines; there is no line 9)',
    )
    expect(errorOf(await bench.call('read_file', { path: 'a', start_line: 5, end_line: 2 })).type).toBe(
      'invalid_argument',
    )
  })

  it('S13: a very long line is cut at a code point, with the rest counted', async () => {
    using bench = toolBench()
    bench.put('a', `x${'🎉'.repeat(3_000)}`)
    const text = textOf(await bench.call('read_file', { path: 'a' }))
    expect(text.isWellFormed()).toBe(true)
    expect(text).toMatch(/… \(5002 more characters in this line\)$/)
  })

  it('F5: a sparse file of 1 TB with text at its start is answered at once', async () => {
    using bench = toolBench()
    truncateSync(bench.put('huge', `${numbered(1, 9_000)}\n`), 1024 ** 4)
    const text = textOf(await bench.call('read_file', { path: 'huge', start_line: 5_000, end_line: 5_001 }))
    expect(text).toMatch(
      /^5000: line 5000\n5001: line 5001\n\(lines 5000–5001; about \d+ MB remain uncounted, go on with start_line 5002\)$/,
    )
  })

  it('F5: finds a line deep in a large file in bounded memory', async () => {
    using bench = toolBench()
    const fd = openSync(join(bench.workspace, 'log'), 'w')
    const block = Buffer.from('0123456789abcdef'.repeat(5).concat('\n').repeat(10_000))
    for (let index = 0; index < 250; index++) writeSync(fd, block)
    writeSync(fd, 'the end\n')
    closeSync(fd)
    const before = process.memoryUsage.rss()
    const text = textOf(await bench.call('read_file', { path: 'log', start_line: 2_500_001 }))
    expect(text).toBe('2500001: the end\n(end of file, 2500001 lines in total)')
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  })

  it('refuses what is not there and what is binary, with what to do instead', async () => {
    using bench = toolBench()
    bench.put('bin', Buffer.from([0x7f, 0x45, 0, 1, 2]))
    expect(errorOf(await bench.call('read_file', { path: 'none' }))).toEqual({
      type: 'not_found',
      message: '"none" does not exist.',
      hint: 'Use glob to see which files there are.',
    })
    expect(errorOf(await bench.call('read_file', { path: 'bin' })).message).toBe('"bin" is binary (5 bytes).')
  })
})

const CHINESE = '第一行：审批通过\n第二行：数据库超时，请联系运维。\n'

describe('F6: encodings', () => {
  it.each([
    ['utf-8', Buffer.from(CHINESE), undefined],
    [
      'utf-8 with BOM',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(CHINESE)]),
      'utf-8 with BOM',
    ],
    ['utf-16le', iconv.encode(CHINESE, 'utf-16le', { addBOM: true }), 'utf-16le'],
    ['utf-16be', iconv.encode(CHINESE, 'utf-16be', { addBOM: true }), 'utf-16be'],
    ['gb18030', iconv.encode(CHINESE, 'gb18030'), 'gb18030'],
    ['a short GBK text', iconv.encode('第一行：审批\n第二行：数据库\n', 'gbk'), 'gb18030'],
    ['GBK with CRLF', iconv.encode(CHINESE.replaceAll('\n', '\r\n'), 'gbk'), 'gb18030'],
  ])('%s is read and named', async (_name, bytes, named) => {
    using bench = toolBench()
    bench.put('a.txt', bytes)
    const text = textOf(await bench.call('read_file', { path: 'a.txt' }))
    expect(text).toMatch(/^1: 第一行：审批.*\n2: 第二行：数据库/)
    expect(text).not.toMatch(/\r|\ufeff/)
    expect(text.includes('(encoding')).toBe(named !== undefined)
    if (named) expect(text).toContain(`(encoding: ${named})`)
  })

  it('Latin-1 is read as Western text', async () => {
    using bench = toolBench()
    bench.put('a.txt', Buffer.from('Le café est fermé le lundi, désolé.\n', 'latin1'))
    expect(textOf(await bench.call('read_file', { path: 'a.txt' }))).toContain('café est fermé')
  })
})
