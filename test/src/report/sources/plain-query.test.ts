import { describe, expect, it } from 'vitest'
import { assertPlainQuery } from '../../../../src/report/sources/plain-query.ts'

describe('plain queries pass', () => {
  it.each([
    'SELECT 客户, SUM(金额) AS 总额 FROM 订单 GROUP BY 客户 ORDER BY 2 DESC LIMIT 10',
    "WITH 月 AS (SELECT date_trunc('month', created_at)::date d, count(*) FILTER (WHERE ok) n FROM t GROUP BY 1) SELECT * FROM 月",
    'SELECT to_char(d, \'YYYY-MM\') m, round(sum(a) / 10000.0, 2) "销售额(万)" FROM s WHERE d >= $1 GROUP BY 1',
    'SELECT 1 UNION ALL SELECT 2',
    "SELECT now() AT TIME ZONE 'Asia/Shanghai', row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
    "SELECT 'update; drop table x' AS 文本 FROM t -- a comment",
    'SELECT pg_size_pretty(pg_database_size(datname)) FROM pg_database',
  ])('postgresql: %s', (query) => {
    expect(() => assertPlainQuery(query, 'postgresql')).not.toThrow()
  })

  it.each([
    'SELECT 部门, SUM(金额) AS 金额 FROM 销售 WHERE 日期 >= ? GROUP BY 部门',
    "SELECT strftime('%Y-%m', 日期) AS 月, count(*) FROM 订单 GROUP BY 1",
    "SELECT json_extract(body, '$.total') FROM t",
  ])('sqlite: %s', (query) => {
    expect(() => assertPlainQuery(query, 'sqlite')).not.toThrow()
  })

  it.each([
    'SELECT `部门`, SUM(金额) FROM 销售 WHERE 日期 >= ? GROUP BY 1',
    'SELECT date_format(d, "%Y-%m") FROM t',
  ])('mysql: %s', (query) => {
    expect(() => assertPlainQuery(query, 'mysql')).not.toThrow()
  })
})

describe('everything else is refused', () => {
  const refused = (query: string, dialect: 'postgresql' | 'mysql' | 'sqlite'): unknown => {
    try {
      assertPlainQuery(query, dialect)
      return 'passed'
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error
    }
  }

  it.each([
    'SELECT 1; DROP TABLE 订单',
    'DELETE FROM 订单',
    'UPDATE 订单 SET 金额 = 0',
    'INSERT INTO t SELECT 1',
    'CREATE TABLE t AS SELECT 1',
    'SELECT * INTO t2 FROM t',
    'SELECT * FROM t FOR UPDATE',
    'SELECT * FROM t FOR NO KEY UPDATE',
    "SELECT pg_read_file('/etc/passwd')",
    'SELECT pg_catalog."pg_read_file"(\'/etc/passwd\')',
    "SELECT * FROM pg_ls_dir('/')",
    'SELECT pg_sleep(100)',
    "SELECT lo_import('/etc/passwd')",
    "SELECT * FROM dblink('host=x', 'SELECT 1') AS t(a int)",
    "SELECT query_to_xml('DELETE FROM t', true, true, '')",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT nextval('s')",
    "SELECT '\\', pg_read_file(x), '' FROM t",
    'SELECT U&"\\0070g_read_file"(\'/etc/passwd\')',
    "COPY t TO '/tmp/x'",
    "COPY t TO PROGRAM 'sh'",
    'DO $$ BEGIN END $$',
    'EXPLAIN ANALYZE DELETE FROM t',
    'WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a',
    'CALL p()',
    'VACUUM',
    'SET ROLE postgres',
    'BEGIN',
    'LISTEN x',
    '',
  ])('postgresql: %s', (query) => {
    expect(refused(query, 'postgresql')).toMatch(/^report\.sql_(refused|syntax)$/)
  })

  it.each([
    "ATTACH '/etc/passwd' AS x",
    'PRAGMA writable_schema = 1',
    "SELECT load_extension('/tmp/x.so')",
    "SELECT writefile('/tmp/x', 'y')",
    'SELECT 1; SELECT 2',
    "VACUUM INTO '/tmp/x'",
    'REPLACE INTO t VALUES (1)',
  ])('sqlite: %s', (query) => {
    expect(refused(query, 'sqlite')).toMatch(/^report\.sql_(refused|syntax)$/)
  })

  it.each([
    "SELECT * FROM t INTO OUTFILE '/tmp/x'",
    "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
    "SELECT 1 --1 INTO DUMPFILE '/tmp/x'",
    "SELECT LOAD_FILE('/etc/passwd')",
    'SELECT SLEEP(100)',
    "SELECT BENCHMARK(1e9, MD5('x'))",
    "SELECT GET_LOCK('a', 100)",
    'SELECT * FROM t LOCK IN SHARE MODE',
    'SELECT * FROM t FOR SHARE',
    'SELECT 1 INTO @a',
  ])('mysql: %s', (query) => {
    expect(refused(query, 'mysql')).toMatch(/^report\.sql_(refused|syntax)$/)
  })

  it('the place and an example are named', () => {
    expect(() => assertPlainQuery('SELECT 部门\nFROM 销售 WHER 日期 > 1', 'postgresql')).toThrow(
      expect.objectContaining({
        code: 'report.sql_syntax',
        params: expect.objectContaining({ line: 2, example: expect.stringContaining('SELECT') }),
      }),
    )
  })
})
