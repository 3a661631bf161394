import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { ReportContext, Reports } from '../../../src/protocol/report.ts'
import { createReports } from '../../../src/report/reports.ts'
import { createSourceReader, type ReaderDeps } from '../../../src/report/sources/reader.ts'
import { createWorkshop } from '../../../src/report/workshop.ts'
import type { Store } from '../../../src/store/store.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { openTestStore } from '../../support/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'yizhan-reports-'))
const clock = createSystemClock()
const workshop = createWorkshop(clock)
const text = createTranslate('zh-CN')
/** Monday, 09:00 in Shanghai. */
const AT = Date.parse('2026-11-30T01:00:00Z')
let store: Store

const database = new DatabaseSync(join(folder, 'sales.db'))
database.exec(`
  CREATE TABLE 销售 (日期 TEXT, 部门 TEXT, 金额 REAL);
  INSERT INTO 销售 VALUES ('2026-11-29', '华东', 120000), ('2026-11-29', '华南', 80000),
    ('2026-11-28', '华东', 100000), ('2026-11-28', '华南', 60000), ('2026-11-30', '华东', 1);
`)
database.close()
const csvPath = join(folder, 'orders.csv')
writeFileSync(
  csvPath,
  '日期,客户,金额\n2026/11/29,甲|乙,"1,000.50"\n2026-11-29,<@all>,200\n2026-11-28,甲,100\n不详,丙,5\n2026年11月29日,丁,待定\n',
)
utimesSync(csvPath, AT / 1_000, AT / 1_000)

const QUERY =
  'SELECT 部门, SUM(金额) AS 销售额 FROM 销售 WHERE 日期 >= :from AND 日期 < :to GROUP BY 部门 ORDER BY 2 DESC'
const SALES = {
  ...{ source: 'sales', period: 'yesterday', query: QUERY, title: '昨日销售' },
  figures: [{ column: '销售额', unit: '元', target: 250_000 }],
  charts: [{ type: 'bar', x: '部门', y: '销售额', unit: '元' }],
}
const config = configSchema.parse({
  reports: {
    sources: {
      sales: { type: 'sqlite', path: join(folder, 'sales.db') },
      orders: { type: 'csv', path: csvPath, allow: 'everyone' },
      missing: { type: 'csv', path: join(folder, 'orders-{yesterday}.csv'), allow: 'everyone' },
    },
    saved: { 日报: { about: '昨日销售', report: 'sql', params: SALES, allow: ['chat:ops:oc_finance'] } },
  },
}).reports

beforeAll(async () => {
  store = await openTestStore()
})
afterAll(async () => {
  await workshop.close()
  await store.close()
})

function reports(more: Partial<ReaderDeps> = {}): Reports {
  const reader = createSourceReader({
    ...{ config, db: store.db, workshop, companyApprovals: () => [] },
    fetch: async () => ({ status: 500, body: new Uint8Array() }),
    mayRead: (allow, { requester, address }) =>
      requester === 'feishu:ou_admin' ||
      allow === 'everyone' ||
      (allow !== 'admins' && allow.includes(`chat:${address.botId}:${address.chatId}`)),
    ...more,
  })
  const print = async (): Promise<Uint8Array> => {
    throw new AppError('report.no_browser', 'none')
  }
  return createReports({ saved: config.saved, reader, workshop, font: undefined, print, text })
}

const context = (more: Partial<ReportContext> = {}): ReportContext => ({
  ...{ at: AT, timezone: 'Asia/Shanghai', locale: 'zh-CN', text, clock, logger: createCollectingLogger() },
  address: { botId: 'ops', chatId: 'oc_finance', chatType: 'group' },
  ...{ requester: 'feishu:ou_admin', signal: AbortSignal.timeout(60_000) },
  ...more,
})
const asMember = { requester: 'feishu:ou_member' } as const

describe('a SQL report', () => {
  it('shows figures against the day before and the target, a table, a picture and a file', async () => {
    const report = await reports().render('sql', { ...SALES, attach: ['xlsx', 'csv'] }, context())

    expect(report.markdown).toBe(
      [
        '**昨日销售** · 昨天（11月29日）',
        '- 销售额：**20 万元**（较前一天 ↑ 25%，前一天为 16 万元；目标 25 万元，完成 80%，还差 50,000 元）',
        '| 部门 | 销售额 |\n| :--- | ---: |\n| 华东 | 120,000 |\n| 华南 | 80,000 |',
      ].join('\n\n'),
    )
    expect(report.summary).toBe('昨日销售 · 销售额 20 万元')
    expect(report.images.map((image) => image.name)).toEqual(['各部门的销售额.png'])
    expect(report.files.map((file) => file.name)).toEqual([
      '昨日销售 2026-11-30.xlsx',
      '昨日销售 2026-11-30.csv',
    ])
    expect(report.sizeBytes).toBeGreaterThan(Buffer.byteLength(report.markdown))
  })

  it('says plainly that there is nothing, without a chart of nothing', async () => {
    const report = await reports().render('sql', SALES, context({ at: Date.parse('2026-12-05T01:00:00Z') }))

    expect(report.markdown).toBe(
      '**昨日销售** · 昨天（12月4日）\n\n> ⚠️ 这个时段没有数据。\n\n- 销售额：**无数据**',
    )
    expect(report.images).toEqual([])
  })

  it('says that the sums are incomplete when a limit cut the rows', async () => {
    const report = await reports({ config: { ...config, rows: 1 } }).render('sql', SALES, context())

    expect(report.markdown).toContain('> ⚠️ 数据超过 1 行，只读取了前 1 行，下面的合计不完整。')
  })

  it('a PDF that cannot be made is said; the numbers arrive', async () => {
    const report = await reports().render('sql', { ...SALES, attach: ['pdf'] }, context())

    expect(report.files).toEqual([])
    expect(report.markdown).toContain('没有生成：服务器上没有 Chromium，无法生成 PDF')
    expect(report.markdown).toContain('**20 万元**')
  })
})

describe('a CSV report', () => {
  const params = {
    source: 'orders',
    period: 'yesterday',
    date: '日期',
    figures: [{ column: '金额', unit: '元' }],
  }

  it('takes the days of the period, says what it left out, and shows data as data', async () => {
    const report = await reports().render('csv', params, context(asMember))

    expect(report.markdown.split('\n')).toEqual([
      '**orders** · 昨天（11月29日）',
      '',
      '> ⚠️ “金额”有 1 行为空或不是数字，没有计入。',
      '> ⚠️ “日期”有 1 行看不出日期，没有计入。',
      '',
      '- 金额：**1,200.5 元**（较前一天 ↑ 1,100.5%，前一天为 100 元）',
      '',
      '| 日期 | 客户 | 金额 |',
      '| :--- | :--- | :--- |',
      '| 2026/11/29 | 甲｜乙 | 1,000.50 |',
      '| 2026-11-29 | ＜@all> | 200 |',
      '| 2026年11月29日 | 丁 | 待定 |',
    ])
  })

  it('a file from before the end of the period is called old', async () => {
    const report = await reports().render(
      'csv',
      { ...params, period: 'today' },
      context({ at: AT + 3_600_000 }),
    )

    expect(report.markdown).toContain(
      '数据文件写于 2026-11-30 09:00，早于时段结束（11月30日），数据可能不全。',
    )
  })

  it('a file that is not there yet may come: tried again later', async () => {
    await expect(reports().render('csv', { source: 'missing' }, context())).rejects.toMatchObject({
      code: 'report.source_unavailable',
      retryable: true,
      params: { source: 'missing', reason: 'orders-2026-11-29.csv (ENOENT)' },
    })
  })
})

describe('who may read', () => {
  it('a source is for administrators unless it says otherwise', async () => {
    await expect(reports().render('sql', SALES, context(asMember))).rejects.toMatchObject({
      code: 'report.not_allowed',
      params: { source: 'sales' },
    })
  })

  it('a saved report may be open to a chat where its source is not, and its query is fixed', async () => {
    expect((await reports().render('日报', {}, context(asMember))).summary).toContain('20 万元')
    const elsewhere = context({
      ...asMember,
      address: { botId: 'ops', chatId: 'oc_other', chatType: 'group' },
    })
    await expect(reports().render('日报', {}, elsewhere)).rejects.toMatchObject({
      code: 'report.not_allowed',
    })
    expect(reports().validate('日报', { query: 'SELECT * FROM 工资' })?.code).toBe('report.fixed_params')
  })
})

describe('what is refused when it is saved', () => {
  it.each([
    ['nothing', {}, 'report.unknown', { names: expect.stringContaining('approvals_waiting、usage') }],
    ['usage', { period: 'last year' }, 'report.bad_params', { places: expect.stringContaining('period') }],
    ['usage', { span: 1 }, 'report.bad_params', { places: expect.stringContaining('span') }],
    ['sql', { source: 'sales' }, 'report.bad_params', { example: expect.stringContaining('SELECT') }],
    ['sql', { ...SALES, source: 'orders' }, 'report.unknown_source', { names: 'sales' }],
    ['sql', { ...SALES, query: 'DELETE FROM 销售' }, 'report.sql_refused', { word: 'DELETE' }],
    ['sql', { ...SALES, query: 'SELEC 1' }, 'report.sql_syntax', { line: 1 }],
    ['sql', { ...SALES, period: undefined }, 'report.period_needed', { name: 'from' }],
    ['sql', { ...SALES, query: 'SELECT :day' }, 'report.unknown_placeholder', { name: 'day' }],
    [
      'sql',
      { ...SALES, figures: [{ column: '' }] },
      'report.bad_params',
      { places: expect.stringContaining('figures[0].column') },
    ],
    ['csv', { source: 'orders', period: 'yesterday' }, 'report.date_needed', {}],
  ])('%s %j: %s', (name, params, code, wanted) => {
    const refused = reports().validate(name, params)

    expect([refused?.code, refused?.params]).toEqual([code, expect.objectContaining(wanted)])
    // A text exists for it, with every value filled in.
    expect(text(`error.${code}`, refused?.params)).not.toMatch(/\{\w+\}/)
  })

  it('a column that is not there is found by reading once, with the columns that are', async () => {
    const wrong = { ...SALES, charts: [{ type: 'bar', x: '部门', y: '全额' }] }

    expect(await reports().check?.('sql', wrong, context())).toMatchObject({
      code: 'report.unknown_column',
      params: { place: 'charts[0]', column: '全额', columns: '部门、销售额' },
    })
    expect(await reports().check?.('sql', SALES, context())).toBeUndefined()
  })
})

describe('the list of reports', () => {
  it('shows saved ones first, and required parameters first', () => {
    const names = reports().names()

    expect(names.map((each) => each.name)).toEqual([
      ...['日报', 'approvals_waiting', 'usage', 'tool_failures', 'sql', 'csv', 'json'],
    ])
    expect(names[0]).toEqual({ name: '日报', about: '昨日销售', params: [] })
    expect(names[4]?.params.slice(0, 3).map((each) => [each.name, each.required])).toEqual([
      ['source', true],
      ['query', true],
      ['period', false],
    ])
  })
})
