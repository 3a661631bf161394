import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { decodePage } from '../../../../src/tools/web/reader/charset.ts'
import { documentKind } from '../../../../src/tools/web/reader/document-kind.ts'
import { createReader } from '../../../../src/tools/web/reader/reader.ts'
import { createManualClock } from '../../../support/clock.ts'
import { pdf, slides, wordFile, workbook } from './documents.ts'

const signal = new AbortController().signal
const bytes = (text: string): Uint8Array => Buffer.from(text)
const reader = createReader(createManualClock())
const read = async (body: Uint8Array, contentType = '') => {
  const kind = documentKind(body, contentType)
  if (!kind) throw new Error('unknown kind')
  return reader.read({ kind, body, contentType, url: 'https://a.example/x' }, signal)
}

describe('charset', () => {
  const page = (meta: string): string => `<html><head>${meta}<title>审批流程</title></head></html>`

  it.each([
    ['the header', 'text/html; charset=GBK', page('')],
    ['the meta element', 'text/html', page('<meta charset="gb2312">')],
    [
      'the old meta element',
      'text/html',
      page('<meta http-equiv="Content-Type" content="text/html; charset=gbk">'),
    ],
    ['the bytes, when nobody says', 'text/html', page('')],
    ['the bytes, when the page lies', 'text/html; charset=utf-8', page('')],
  ])('GBK pages are read by %s', (_how, type, html) => {
    expect(decodePage(iconv.encode(html, 'gbk'), type)).toContain('审批流程')
  })

  it('a byte order mark beats what is said', () => {
    expect(decodePage(iconv.encode('中文', 'utf-16le', { addBOM: true }), 'text/plain; charset=gbk')).toBe(
      '中文',
    )
  })

  it('an unknown name is passed over', () => {
    expect(decodePage(bytes('中文'), 'text/html; charset=klingon')).toBe('中文')
  })
})

describe('kinds of documents', () => {
  it('are told by the bytes, not by what the server calls them', () => {
    expect(documentKind(pdf('x'), 'text/html')).toBe('pdf')
    expect(documentKind(wordFile(['x']), 'application/octet-stream')).toBe('docx')
    expect(documentKind(workbook('S', [['a']]), 'application/zip')).toBe('xlsx')
    expect(documentKind(slides(['x']), '')).toBe('pptx')
    expect(documentKind(bytes('<!DOCTYPE html><p>x'), 'application/octet-stream')).toBe('html')
    expect(documentKind(bytes('{"a":1}'), 'application/json')).toBe('text')
    expect(documentKind(Buffer.from([0, 1, 2, 3]), 'application/octet-stream')).toBeUndefined()
    expect(documentKind(bytes('x'), 'video/mp4')).toBeUndefined()
  })
})

describe('reader', () => {
  it('turns an article into Markdown without its menus, tables kept, nothing fetched', async () => {
    const html = `<html><head><title>报销指南</title></head><body><nav>首页 关于</nav><article><h2>流程</h2>
      ${'<p>员工先填写报销单，附上发票，然后由部门经理审批，再交给财务。</p>'.repeat(8)}
      <table><tr><th>金额</th><th>审批人</th></tr><tr><td>5000</td><td>张三</td></tr></table>
      <img src="https://tracker.example/p.gif"></article></body></html>`
    const { title, text } = await read(bytes(html), 'text/html; charset=utf-8')
    expect(title).toBe('报销指南')
    expect(text).toContain('## 流程')
    expect(text).toMatch(/\| 5000 \| 张三 \|/)
    expect(text).not.toContain('首页')
  })

  it('falls back to all words of a page that is no article', async () => {
    const { text } = await read(
      bytes('<html><body><script>var x=1</script><div>状态</div><div>正常</div></body></html>'),
      'text/html',
    )
    expect(text).toContain('状态')
    expect(text).not.toContain('var x')
  })

  it('reads a page that leaves out html, head and body', async () => {
    const { title, text } = await read(bytes('<!doctype html><title>题</title><p>短文'), 'text/html')
    expect([title, text]).toEqual(['题', '短文'])
  })

  it('reads Word, Excel, PowerPoint and PDF', async () => {
    expect((await read(wordFile(['第一段', '第二段']))).text).toMatch(/第一段[\s\S]*第二段/)
    const rows = [
      ['姓名', '日期'],
      ['张三', new Date(Date.UTC(2026, 10, 30))],
    ]
    expect((await read(workbook('工资', rows))).text).toMatch(/^## 工资\n姓名,日期\n张三,2026-1[12]-\d\d$/)
    expect((await read(slides(['标题 &amp; 一', '二']))).text).toBe('[slide 1]\n标题 & 一\n\n[slide 2]\n二')
    expect((await read(pdf('Hello 2026'))).text).toBe('[page 1]\nHello 2026')
  })

  it('N5, F8: an archive that grows beyond bounds is refused before it is unpacked', async () => {
    const bomb = wordFile(['x'], { 'word/media/zeros.bin': new Uint8Array(70 * 1024 * 1024) })
    expect(bomb.length).toBeLessThan(200_000)
    await expect(read(bomb)).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('64 MB'),
    })
    await expect(read(bytes('still here'), 'text/plain')).resolves.toMatchObject({ text: 'still here' })
  })

  it('N5: a page nested without end is given up after ten seconds; the one that waited behind it is read', async () => {
    const clock = createManualClock()
    const own = createReader(clock)
    const deep = bytes(`<html><body>${'<div>'.repeat(100_000)}x`)
    const url = 'https://a.example'
    const first = own.read({ kind: 'html', body: deep, contentType: 'text/html', url }, signal)
    const second = own.read({ kind: 'text', body: bytes('next'), contentType: '', url }, signal)
    const given = expect(first).rejects.toMatchObject({ code: 'tool.limit' })
    await clock.advance(10_000)
    await given
    await expect(second).resolves.toMatchObject({ text: 'next' })
  })

  it('keeps the first two million characters and says how many it dropped', async () => {
    const { text, leftOut } = await read(bytes('x'.repeat(2_000_010)), 'text/plain')
    expect([text.length, leftOut]).toEqual([2_000_000, 10])
  })

  it('stops waiting when the run is stopped', async () => {
    const stop = new AbortController()
    const pending = reader.read(
      { kind: 'text', body: bytes('x'), contentType: '', url: 'https://a.example' },
      stop.signal,
    )
    stop.abort(new Error('stopped'))
    await expect(pending).rejects.toThrow('stopped')
  })
})
