import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { decodeText, parseCsv } from '../../../../src/report/sources/csv.ts'

const LIMITS = { rows: 100, bytes: 1_000_000 }
const parse = (text: string) => parseCsv(text, LIMITS)

describe('CSV files', () => {
  it.each(['utf8', 'gbk', 'gb18030', 'utf16le'])('are read in %s without being told', (encoding) => {
    const bytes = iconv.encode('部门,金额\n华东,12.5\n', encoding, { addBOM: encoding === 'utf16le' })
    expect(parse(decodeText(bytes, 'auto'))).toEqual({ columns: ['部门', '金额'], rows: [['华东', '12.5']] })
  })

  it('the mark at the start is not part of the first column', () => {
    expect(parse(decodeText(Buffer.from('\ufeff部门\r\n华东\r\n'), 'auto')).columns).toEqual(['部门'])
  })

  it('quotes hold separators, line ends and quotes', () => {
    expect(parse('a,b\r\n"x, ""y""\nz",2\r\n"open').rows).toEqual([
      ['x, "y"\nz', '2'],
      ['open', null],
    ])
  })

  it.each([
    ['a;b;c\n1;2,5;3', ['1', '2,5', '3']],
    ['a\tb\tc\n1\t2\t3', ['1', '2', '3']],
    ['"a,x";b;c\n1;2;3', ['1', '2', '3']],
  ])('the separator is found: %j', (text, row) => {
    expect(parse(text).rows).toEqual([row])
  })

  it('short and long rows, empty lines and repeated headers do no harm', () => {
    expect(parse('名,,名\n\n1\n1,2,3,4\n')).toEqual({
      columns: ['名', '列2', '名_2'],
      rows: [
        ['1', null, null],
        ['1', '2', '3'],
      ],
    })
    expect(parse('')).toEqual({ columns: [], rows: [] })
  })

  it('stops at the limit and says so', () => {
    expect(parseCsv('a\n1\n2\n3', { rows: 2, bytes: 100 })).toMatchObject({
      rows: [['1'], ['2']],
      cut: { by: 'rows' },
    })
  })
})
