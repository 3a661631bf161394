import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { SqlRead } from '../../../../src/report/sources/source.ts'
import { createSqliteReader } from '../../../../src/report/sources/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'yizhan-sqlite-'))
const path = join(folder, 'stock.db')
const database = new DatabaseSync(path)
database.exec(`
  CREATE TABLE 库存 (品名 TEXT, 数量 INTEGER, 单价 REAL, 图 BLOB);
  INSERT INTO 库存 VALUES ('螺丝', 9007199254740993, 0.5, x'0102'), ('螺母', 20, 0.25, NULL);
`)
database.close()

const read = (query: string, more: Partial<SqlRead> = {}, file = path) =>
  createSqliteReader('stock', file).read({
    ...{ query, values: [], timezone: 'Asia/Shanghai', at: 0, signal: AbortSignal.timeout(15_000) },
    limits: { rows: 100, bytes: 1_000_000, timeoutMs: 10_000 },
    ...more,
  })

describe('a SQLite source', () => {
  it('gives rows; large whole numbers stay exact, bytes are only measured', async () => {
    expect(await read('SELECT * FROM 库存 WHERE 数量 >= ?', { values: [1] })).toEqual({
      columns: ['品名', '数量', '单价', '图'],
      rows: [
        ['螺丝', '9007199254740993', 0.5, '[2 B]'],
        ['螺母', 20, 0.25, null],
      ],
    })
  })

  it('is read-only by connection and by the engine itself', async () => {
    for (const query of [
      'DELETE FROM 库存',
      'CREATE TABLE x (a)',
      `ATTACH '${join(folder, 'other.db')}' AS other`,
      'PRAGMA journal_mode = DELETE',
      'PRAGMA table_info(库存)',
      "SELECT load_extension('x')",
      'BEGIN',
    ]) {
      await expect(read(query)).rejects.toMatchObject({ code: 'report.sql_failed' })
    }
    expect((await read('SELECT count(*) FROM 库存')).rows).toEqual([[2]])
  })

  it('stops at the limit of rows', async () => {
    const query =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n'
    const cut = await read(query, { limits: { rows: 10, bytes: 1_000_000, timeoutMs: 10_000 } })

    expect([cut.rows.length, cut.cut]).toEqual([10, { by: 'rows', limit: 10 }])
  })

  it('ends a query that would never end', async () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'

    await expect(
      read(endless, { limits: { rows: 1, bytes: 1_000, timeoutMs: 1_500 } }),
    ).rejects.toMatchObject({
      code: 'report.source_timeout',
    })
  })

  it('says what is wrong: a column, a file that is missing, a file that is no database', async () => {
    await expect(read('SELECT 价格 FROM 库存')).rejects.toMatchObject({
      code: 'report.sql_failed',
      params: { source: 'stock', reason: 'no such column: 价格' },
    })
    await expect(read('SELECT 1', {}, join(folder, 'none.db'))).rejects.toMatchObject({
      code: 'report.source_unavailable',
    })
    writeFileSync(join(folder, 'text.db'), '不是数据库'.repeat(500))
    await expect(read('SELECT 1', {}, join(folder, 'text.db'))).rejects.toMatchObject({
      code: 'report.source_unavailable',
      params: { reason: 'file is not a database' },
    })
  })
})
