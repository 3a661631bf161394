import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresReader } from '../../../../src/report/sources/postgres.ts'
import type { SqlRead } from '../../../../src/report/sources/source.ts'
import { startPostgres, type TestPostgres } from '../../../support/postgres.ts'

let server: TestPostgres

beforeAll(async () => {
  server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`
    CREATE TABLE 订单 (编号 bigint, 部门 text, 金额 numeric(12, 2), 付款 timestamptz, 有效 boolean);
    INSERT INTO 订单 VALUES
      (1, '华东', 100.10, '2026-11-28 15:59:59Z', true), (2, '华东', 200.20, '2026-11-28 16:00:00Z', true),
      (3, '华南', 300.30, '2026-11-29 15:59:59Z', false), (9007199254740993, '华南', NULL, '2026-11-29 16:00:00Z', true);
  `)
  await client.end()
})
afterAll(() => server.stop())

const read = (query: string, more: Partial<SqlRead> = {}) =>
  createPostgresReader('sales', server.url).read({
    ...{ query, values: [], timezone: 'Asia/Shanghai', at: 0, signal: AbortSignal.timeout(15_000) },
    limits: { rows: 100, bytes: 1_000_000, timeoutMs: 5_000 },
    ...more,
  })

describe('a PostgreSQL source', () => {
  it('gives rows with exact numbers; what is not exact stays text', async () => {
    expect(await read('SELECT 编号, 部门, 金额, 有效 FROM 订单 ORDER BY 编号')).toEqual({
      columns: ['编号', '部门', '金额', '有效'],
      rows: [
        [1, '华东', 100.1, true],
        [2, '华东', 200.2, true],
        [3, '华南', 300.3, false],
        ['9007199254740993', '华南', null, true],
      ],
    })
  })

  it("compares instants in the report's time zone", async () => {
    const values = ['2026-11-29', '2026-11-30']
    const query = 'SELECT sum(金额) AS 合计, count(*) AS 单数 FROM 订单 WHERE 付款 >= $1 AND 付款 < $2'

    expect((await read(query, { values })).rows).toEqual([[500.5, 2]])
    expect((await read(query, { values, timezone: 'UTC' })).rows).toEqual([[300.3, 2]])
  })

  it('cannot write, even where the parser were fooled', async () => {
    for (const query of [
      'WITH x AS (DELETE FROM 订单 RETURNING *) SELECT * FROM x',
      'SELECT 1; DELETE FROM 订单',
      "SELECT set_config('transaction_read_only', 'off', false); DELETE FROM 订单",
      'SELECT * FROM 订单 FOR UPDATE',
    ]) {
      await expect(read(query)).rejects.toMatchObject({ code: 'report.sql_failed' })
    }
    expect((await read('SELECT count(*) FROM 订单')).rows).toEqual([[4]])
  })

  it('stops at the limit of rows and of bytes, and says which', async () => {
    const query = "SELECT n, repeat('字', 1000) FROM generate_series(1, 5000) n"

    const byRows = await read(query, { limits: { rows: 3, bytes: 1_000_000, timeoutMs: 5_000 } })
    expect([byRows.rows.length, byRows.cut]).toEqual([3, { by: 'rows', limit: 3 }])
    const byBytes = await read(query, { limits: { rows: 5_000, bytes: 30_000, timeoutMs: 5_000 } })
    expect([byBytes.rows.length, byBytes.cut]).toEqual([9, { by: 'bytes', limit: 30_000 }])
  })

  it('exactly as many rows as the limit are whole', async () => {
    const whole = await read('SELECT * FROM generate_series(1, 1000)', {
      limits: { rows: 1_000, bytes: 1_000_000, timeoutMs: 5_000 },
    })
    expect([whole.rows.length, whole.cut]).toEqual([1_000, undefined])
  })

  it('ends a query that takes too long, and one that nobody waits for any more', async () => {
    const slow = 'SELECT count(*) FROM generate_series(1, 1000000000)'

    await expect(read(slow, { limits: { rows: 1, bytes: 1_000, timeoutMs: 300 } })).rejects.toMatchObject({
      code: 'report.source_timeout',
      retryable: true,
    })
    const caller = new AbortController()
    const reading = read(slow, { signal: caller.signal })
    caller.abort(new Error('stopped'))
    await expect(reading).rejects.toThrow('stopped')
  })

  it('says what the database says about a wrong column, and that it may be away', async () => {
    await expect(read('SELECT 全额 FROM 订单')).rejects.toMatchObject({
      code: 'report.sql_failed',
      params: { source: 'sales', reason: expect.stringContaining('全额') },
    })
    const away = createPostgresReader('sales', 'postgres://nobody:secret-word@127.0.0.1:1/none')
    const failure = await away
      .read({
        ...{ query: 'SELECT 1', values: [], timezone: 'UTC', at: 0, signal: AbortSignal.timeout(10_000) },
        limits: { rows: 1, bytes: 1_000, timeoutMs: 1_000 },
      })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'report.source_unavailable', retryable: true })
    expect(JSON.stringify(failure) + String(failure)).not.toContain('secret-word')
  })
})
