/** Reports over real data, through the whole service; every figure is computed a second way here. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { read, utils, write } from '@e965/xlsx'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTranslate } from '../../src/locale/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { createShiftedClock } from '../support/shifted-clock.ts'
import type { Shown } from './support/company.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { openHouse } from './support/house.ts'
import { openWecomHouse, type WecomHouse } from './support/wecom-house.ts'

/** A Tuesday; when the start is slow, the next minute is as good. */
const BEFORE_NINE = Date.parse('2026-12-01T08:59:50+08:00')
const TEST_MS = 180_000
const newFolder = (): string => mkdtempSync(join(tmpdir(), 'yizhan-report-data-'))

interface Order {
  readonly day: string
  readonly department: string
  readonly cents: number
}

/** 3,000 orders on three days, without randomness. */
const orders: readonly Order[] = Array.from({ length: 3_000 }, (_, index) => ({
  day: ['2026-11-29', '2026-11-30', '2026-12-01'][index % 3] ?? '',
  department: ['华东', '华南', '华北', '西南'][Math.floor(index / 3) % 4] ?? '',
  cents: 1_000 + ((index * 7_919) % 99_991),
}))

/** In whole cents, so that this sum shares no arithmetic with the report's. */
const centsOf = (day: string, department?: string): number =>
  orders
    .filter((order) => order.day === day && (department === undefined || order.department === department))
    .reduce((sum, order) => sum + order.cents, 0)

/** 128.45 万元 from cents, by integer division and rounding of text. */
function yuan(cents: number): string {
  const hundredths = Math.round(cents / 10_000)
  const digits = `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`
  return `${digits.replace(/\.?0+$/, '')} 万元`
}

let postgres: TestPostgres
let house: WecomHouse

async function fillPostgres(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('CREATE TABLE orders (paid_at timestamptz, department text, amount numeric(12, 2))')
  for (let at = 0; at < orders.length; at += 500) {
    const some = orders.slice(at, at + 500)
    await client.query(
      'INSERT INTO orders SELECT d::timestamptz, p, c / 100.0 FROM unnest($1::text[], $2::text[], $3::int[]) AS t(d, p, c)',
      [
        some.map((one) => `${one.day} 23:59:59+08`),
        some.map((one) => one.department),
        some.map((one) => one.cents),
      ],
    )
  }
  await client.end()
}

function fillSqlite(): string {
  const path = join(newFolder(), 'shop.db')
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE 订单 (日期 TEXT, 部门 TEXT, 金额 REAL); BEGIN')
  const insert = database.prepare('INSERT INTO 订单 VALUES (?, ?, ?)')
  for (const { day, department, cents } of orders) insert.run(day, department, cents / 100)
  database.exec('COMMIT')
  database.close()
  return path
}

function fillWorkbook(): string {
  const path = join(newFolder(), '订单.xlsx')
  const rows = orders.map(({ day, department, cents }) => [
    new Date(`${day}T00:00:00Z`),
    department,
    cents / 100,
  ])
  const sheet = utils.aoa_to_sheet([['日期', '部门', '金额'], ...rows], { UTC: true })
  const book = utils.book_new(sheet, '明细')
  const bytes: unknown = write(book, { type: 'buffer', bookType: 'xlsx' })
  if (!(bytes instanceof Uint8Array)) throw new Error('no workbook')
  writeFileSync(path, bytes)
  return path
}

const SQL = {
  sales: `SELECT department AS 部门, SUM(amount) AS 销售额 FROM orders WHERE paid_at >= :from AND paid_at < :to GROUP BY 1 ORDER BY 2 DESC`,
  shop: `SELECT 部门, SUM(金额) AS 销售额 FROM 订单 WHERE 日期 >= :from AND 日期 < :to GROUP BY 部门 ORDER BY 2 DESC`,
}
const view = `figures: [{ column: 销售额, unit: 元 }], charts: [{ type: bar, x: 部门, y: 销售额, unit: 元 }]`

const yaml = (chat: string, owner: string): string => {
  const schedule = (id: string, report: string, params: string): string =>
    `  - { id: ${id}, cron: "* * * * *", to: { bot: ops, chat: "${chat}" }, report: ${report}, params: ${params}, owner: "${owner}" }`
  return `
reports:
  sources:
    sales: { type: postgres, url: "${postgres.url}" }
    shop: { type: sqlite, path: "${fillSqlite()}" }
    book: { type: xlsx, path: "${fillWorkbook()}", sheet: 明细 }
schedules:
${schedule('a', 'sql', `{ source: sales, title: 数据库销售额, period: yesterday, query: "${SQL.sales}", ${view}, attach: [xlsx] }`)}
${schedule('b', 'sql', `{ source: shop, title: 门店销售额, period: yesterday, query: "${SQL.shop}", ${view} }`)}
${schedule('c', 'csv', `{ source: book, title: 表格销售额, period: yesterday, date: 日期, rows: 3, figures: [{ column: 金额, label: 销售额, unit: 元 }], charts: [{ type: pie, x: 部门, y: 金额, unit: 元 }] }`)}
${schedule('d', 'approvals_waiting', '{ rows: 20 }')}
`
}

beforeAll(async () => {
  postgres = await startPostgres()
  await fillPostgres()
  house = await openWecomHouse(
    { yaml: (company) => yaml(company.chatId, company.people.admin.key) },
    createShiftedClock(BEFORE_NINE),
  )
  // A group is reachable once somebody has spoken to the bot there.
  await house.say('你好')
}, TEST_MS)

afterAll(async () => {
  await house?.stop()
  await postgres?.stop()
})

const report = (title: string): Promise<Shown> =>
  house.until(() => house.shown().find(({ text }) => text.includes(`**${title}**`)), title, TEST_MS)

/** The pictures and files that follow a report before the next one. */
async function attachmentsOf(title: string, count: number): Promise<readonly Shown[]> {
  const { id } = await report(title)
  return house.until(
    () => {
      const all = house.shown()
      const rest = all.slice(all.findIndex((message) => message.id === id) + 1)
      const end = rest.findIndex((message) => message.file === undefined)
      const found = rest.slice(0, end < 0 ? rest.length : end)
      return found.length >= count && found
    },
    `what follows ${title}`,
    TEST_MS,
  )
}

describe('reports in a WeCom group', () => {
  it.each([
    ['数据库销售额', 'PostgreSQL'],
    ['门店销售额', 'SQLite'],
    ['表格销售额', 'XLSX'],
  ])(
    '%s: the figures of %s are those of the data',
    async (title) => {
      const { text } = await report(title)
      const [now, before] = [centsOf('2026-11-30'), centsOf('2026-11-29')]

      expect(text).toContain('昨天（11月30日）')
      expect(text).toContain(`**${yuan(now)}**`)
      expect(text).toContain(`前一天为 ${yuan(before)}`)
      const change = `${now > before ? '↑' : '↓'} ${Math.abs(Number((((now - before) * 100) / before).toFixed(1)))}%`
      expect(text).toContain(`较前一天 ${change}`)
    },
    TEST_MS,
  )

  it(
    'every department is in the table, and the workbook that follows holds the same numbers',
    async () => {
      const { text } = await report('数据库销售额')
      const files = await attachmentsOf('数据库销售额', 2)
      const workbook = files.find((message) => message.file?.name.endsWith('.xlsx'))?.file
      const rows = utils.sheet_to_json<Record<string, unknown>>(
        read(workbook?.bytes).Sheets['数据库销售额'] ?? {},
      )

      expect(rows).toHaveLength(4)
      for (const department of ['华东', '华南', '华北', '西南']) {
        const cents = centsOf('2026-11-30', department)
        const shown = (cents / 100).toLocaleString('zh-CN', { maximumFractionDigits: 2 })
        expect(text).toMatch(new RegExp(`${department}.*${shown.replaceAll('.', '\\.')}`))
        expect(rows.find((row) => row['部门'] === department)?.['销售额']).toBe(cents / 100)
      }
    },
    TEST_MS,
  )

  it(
    'a picture follows, and it is a PNG',
    async () => {
      const [picture] = await attachmentsOf('门店销售额', 1)

      expect(picture?.file?.bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
      expect(picture?.file?.bytes.byteLength).toBeGreaterThan(10_000)
    },
    TEST_MS,
  )

  it(
    'the waiting approvals are those that the simulated company has',
    async () => {
      const { text } = await report(createTranslate('zh-CN')('report.waiting.title'))
      const { approvals, corp } = house.control
      const people = corp.snapshot().members
      const waiting = new Map(people.map((member) => [member, approvals.waitingFor(member.userid)]))
      const forms = new Set([...waiting.values()].flat())

      expect(forms.size).toBeGreaterThan(0)
      expect(text).toContain(`审批中的单据：**${forms.size} 条**`)
      for (const [member, numbers] of waiting) {
        for (const number of numbers) {
          expect(text.split('\n').find((line) => line.includes(number))).toContain(member.name)
        }
      }
    },
    TEST_MS,
  )
})

describe('a report in a Feishu group', () => {
  it(
    'arrives as text with the figures, and a picture after it',
    async () => {
      const clock = createShiftedClock(BEFORE_NINE)
      const company = await openFeishuCompany(clock)
      const feishu = await openHouse(company, clock, {
        yaml: ({ chatId, people }) => yaml(chatId, people.admin.key),
      })
      try {
        const title = '门店销售额'
        const isReport = ({ text }: Shown): boolean => text.includes(title) && text.includes('昨天')
        const found = await feishu.until(() => company.shown().find(isReport), title, TEST_MS)
        expect(found.text).toContain(yuan(centsOf('2026-11-30')))
        const picture = await feishu.until(
          () => company.shown().find(({ file }) => file?.bytes.subarray(1, 4).toString() === 'PNG'),
          'the picture',
          TEST_MS,
        )
        expect(picture.file?.bytes.byteLength).toBeGreaterThan(10_000)
      } finally {
        await feishu.stop()
      }
    },
    TEST_MS,
  )
})
