import { describe, expect, it } from 'vitest'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { ReportContent } from '../../../../src/report/content.ts'
import { pageOf } from '../../../../src/report/export/page.ts'
import { createPrinter } from '../../../../src/report/export/pdf.ts'

const text = createTranslate('zh-CN')
const content: ReportContent = {
  ...{
    title: '昨日<销售>',
    period: '昨天（11月29日）',
    notes: ['只读取了前 1 行'],
    charts: [],
    sheets: [],
    attach: [],
  },
  figures: [{ label: '销售额', value: 200_000, unit: '元', target: 250_000 }],
  tables: [
    {
      columns: ['部门', '金额'],
      rows: [
        ['<script>alert(1)</script>', 120_000.5],
        ['"华南" & 华北', null],
      ],
    },
  ],
}

describe('the page for printing', () => {
  it('holds data as text, numbers aligned, and nothing that is loaded or run', () => {
    const page = pageOf(content, [new Uint8Array([1, 2])], 'zh-CN', text)

    expect(page).toContain('<h1>昨日&lt;销售&gt;</h1>')
    expect(page).toContain('<td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td class="number">120,000.5</td>')
    expect(page).toContain('<td>&quot;华南&quot; &amp; 华北</td><td class="number">—</td>')
    expect(page).toContain('<img alt="" src="data:image/png;base64,AQI=">')
    expect(page).not.toMatch(/<script|https?:|<link/)
  })

  it('is printed by Chromium as a PDF', { timeout: 60_000 }, async () => {
    const pdf = Buffer.from(
      await createPrinter()(pageOf(content, [], 'zh-CN', text), AbortSignal.timeout(50_000)),
    )

    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pdf.byteLength).toBeGreaterThan(5_000)
  })

  it('says what is missing where there is no Chromium', async () => {
    await expect(createPrinter(['/no/chromium'])('<html>', AbortSignal.timeout(1_000))).rejects.toMatchObject(
      {
        code: 'report.no_browser',
        hint: expect.stringContaining('apt install chromium'),
      },
    )
  })
})
