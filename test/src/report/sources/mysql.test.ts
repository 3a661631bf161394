import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMysqlReader } from '../../../../src/report/sources/mysql.ts'
import type { SqlRead } from '../../../../src/report/sources/source.ts'
import { startMariadb, type TestMariadb } from '../../../support/mariadb.ts'

let server: TestMariadb

beforeAll(async () => {
  server = await startMariadb([
    'CREATE DATABASE shop CHARACTER SET utf8mb4',
    'SET NAMES utf8mb4',
    "SET time_zone = '+00:00'",
    'CREATE TABLE shop.订单 (编号 BIGINT, 电话 VARCHAR(20), 金额 DECIMAL(12,2), 付款 TIMESTAMP, 日期 DATE)',
    "INSERT INTO shop.订单 VALUES (1, '013800138000', 100.10, '2026-11-28 16:00:00', '2026-11-29'), (9007199254740993, '2', NULL, '2026-11-29 16:00:00', '2026-11-30')",
    'FLUSH PRIVILEGES',
    "CREATE USER reader@'%' IDENTIFIED BY 'pw'",
    // The most dangerous account a person could hand over.
    "GRANT ALL ON *.* TO reader@'%'",
  ])
}, 60_000)
afterAll(() => server?.stop())

const read = (query: string, more: Partial<SqlRead> = {}, password = 'pw') =>
  createMysqlReader('shop', `mysql://reader:${password}@127.0.0.1:${server.port}/shop`).read({
    ...{ query, values: [], timezone: 'Asia/Shanghai', at: 0, signal: AbortSignal.timeout(15_000) },
    limits: { rows: 100, bytes: 1_000_000, timeoutMs: 5_000 },
    ...more,
  })

describe('a MySQL source', () => {
  it('gives rows; numbers only where the column is one and nothing is lost', async () => {
    expect(await read('SELECT 编号, 电话, 金额, 日期 FROM 订单 ORDER BY 编号')).toEqual({
      columns: ['编号', '电话', '金额', '日期'],
      rows: [
        [1, '013800138000', 100.1, '2026-11-29'],
        ['9007199254740993', '2', null, '2026-11-30'],
      ],
    })
  })

  it("compares instants in the report's time zone", async () => {
    const values = ['2026-11-29', '2026-11-30']
    const query = 'SELECT COUNT(*) FROM 订单 WHERE 付款 >= ? AND 付款 < ?'

    expect((await read(query, { values })).rows).toEqual([[1]])
    expect((await read(query, { values, timezone: 'UTC' })).rows).toEqual([[1]])
    expect((await read(query, { values: ['2026-11-28', '2026-11-29'], timezone: 'UTC' })).rows).toEqual([[1]])
    expect((await read(query, { values: ['2026-11-28', '2026-11-29'] })).rows).toEqual([[0]])
  })

  it('cannot write, whatever the account may', async () => {
    for (const query of ['DELETE FROM 订单', 'SELECT 1; DELETE FROM 订单', 'UPDATE 订单 SET 金额 = 0']) {
      await expect(read(query)).rejects.toMatchObject({ code: 'report.sql_failed' })
    }
    expect((await read('SELECT COUNT(*) FROM 订单')).rows).toEqual([[2]])
  })

  it('stops at the limit of rows, and at the limit of time', async () => {
    const cut = await read('SELECT seq FROM seq_1_to_5000', {
      limits: { rows: 3, bytes: 1_000, timeoutMs: 5_000 },
    })
    expect([cut.rows, cut.cut]).toEqual([[[1], [2], [3]], { by: 'rows', limit: 3 }])

    const slow = 'SELECT COUNT(*) FROM seq_1_to_100000 a, seq_1_to_100000 b'
    await expect(read(slow, { limits: { rows: 1, bytes: 1_000, timeoutMs: 500 } })).rejects.toMatchObject({
      code: 'report.source_timeout',
      retryable: true,
    })
  })

  it('says what the database says about a wrong column, and keeps the password to itself', async () => {
    await expect(read('SELECT 全额 FROM 订单')).rejects.toMatchObject({
      code: 'report.sql_failed',
      params: { reason: expect.stringContaining('全额') },
    })
    const failure = await read('SELECT 1', {}, 'wrong-word').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'report.source_unavailable' })
    expect(JSON.stringify(failure) + String(failure)).not.toContain('wrong-word')
  })
})
