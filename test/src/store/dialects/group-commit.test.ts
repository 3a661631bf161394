import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createGroupCommitDriver,
  type GroupCommitDriver,
  type GroupedDatabase,
} from '../../../../src/store/dialects/group-commit.ts'

interface Tables {
  t: { n: number }
}

class OwnLock extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** What reached the database, in order. Statements that a test names fail, some by ending the transaction. */
let log: string[]
/** How each group is committed. */
let flushes: string[]
let isOpen: boolean
let failing: { sql: RegExp; ends: boolean } | undefined
let db: Kysely<Tables>
let driver: GroupCommitDriver

const database: GroupedDatabase = {
  isInTransaction: () => isOpen,
  close: () => log.push('close'),
  setFlush: (flush) => {
    if (isOpen) throw new Error('a transaction is open')
    flushes.push(flush)
  },
  prepare: (sql) => ({
    reader: sql.startsWith('select'),
    all: () => {
      log.push('select')
      return []
    },
    run: ([value]) => {
      const words = value === undefined ? sql : `insert ${String(value)}`
      log.push(words)
      if (failing?.sql.test(words)) {
        if (failing.ends) isOpen = false
        throw new Error(`${words} failed`)
      }
      if (sql === 'begin immediate') isOpen = true
      if (sql === 'commit' || sql === 'rollback') isOpen = false
      return { changes: 1, lastInsertRowid: 1 }
    },
  }),
}

beforeEach(() => {
  log = []
  flushes = []
  isOpen = false
  failing = undefined
  driver = createGroupCommitDriver(database)
  db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new OwnLock(),
      createDriver: () => driver,
      createIntrospector: (own) => new SqliteIntrospector(own),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
})

const insert = async (n: number, on: Pick<Kysely<Tables>, 'insertInto'> = db): Promise<string> => {
  await on.insertInto('t').values({ n }).execute()
  return `${n} is on disk after ${log.at(-1)}`
}
const outcome = (work: Promise<unknown>): Promise<unknown> => work.catch((error: Error) => error.message)

describe('writers of one moment', () => {
  it('share one commit, and each is told only after it', async () => {
    const told = await Promise.all([insert(1), insert(2), insert(3)])
    expect(log).toEqual(['begin immediate', 'insert 1', 'insert 2', 'insert 3', 'commit'])
    expect(told).toEqual([1, 2, 3].map((n) => `${n} is on disk after commit`))
  })

  it('who reads among them waits for their commit; who reads alone for none', async () => {
    const read = async (): Promise<string> => {
      await db.selectFrom('t').selectAll().execute()
      return log.at(-1) ?? ''
    }
    expect(await Promise.all([insert(1), read()])).toEqual([expect.any(String), 'commit'])
    log = []
    expect(await read()).toBe('select')
    expect(log).toEqual(['select'])
  })

  it('one after the other commit one after the other', async () => {
    await insert(1)
    await insert(2)
    expect(log.filter((words) => words === 'commit')).toHaveLength(2)
  })
})

describe('a transaction', () => {
  it('that is rolled back leaves the others of its group', async () => {
    const refused = db.transaction().execute(async (trx) => {
      await insert(2, trx)
      throw new Error('no')
    })
    expect(await Promise.all([insert(1), outcome(refused), insert(3)])).toMatchObject({ 1: 'no' })
    expect(log).toEqual([
      ...['begin immediate', 'savepoint work', 'insert 2', 'rollback to work', 'release work'],
      ...['insert 1', 'insert 3', 'commit'],
    ])
  })

  it('that waits for something holds the commit back, and nobody comes in between', async () => {
    const slow = db.transaction().execute(async (trx) => {
      await insert(1, trx)
      await new Promise((resolve) => setTimeout(resolve, 5))
      await insert(2, trx)
    })
    await Promise.all([slow, insert(3)])
    expect(log.slice(0, 6)).toEqual([
      ...['begin immediate', 'savepoint work', 'insert 1', 'insert 2', 'release work', 'commit'],
    ])
  })

  it('whose group has ended does nothing more', async () => {
    failing = { sql: /insert 1/, ends: true }
    const stubborn = db.transaction().execute(async (trx) => {
      await outcome(insert(1, trx))
      await insert(2, trx)
    })
    expect(await outcome(stubborn)).toMatch(/transaction is over|insert 1 failed/)
    expect(log).not.toContain('insert 2')
    expect(log).not.toContain('commit')
  })
})

describe('a failure', () => {
  it('of one statement is that statement’s alone', async () => {
    failing = { sql: /insert 2/, ends: false }
    const told = await Promise.all([insert(1), insert(2), insert(3)].map(outcome))
    expect(told).toEqual(['1 is on disk after commit', 'insert 2 failed', '3 is on disk after commit'])
  })

  it('of the commit is everybody’s, and the next group begins anew', async () => {
    failing = { sql: /commit/, ends: false }
    expect(await Promise.all([insert(1), insert(2)].map(outcome))).toEqual(['commit failed', 'commit failed'])
    expect(log.at(-1)).toBe('rollback')
    failing = undefined
    expect(await insert(3)).toBe('3 is on disk after commit')
  })

  it('that ends the transaction is everybody’s who wrote before', async () => {
    failing = { sql: /insert 2/, ends: true }
    const told = await Promise.all([insert(1), insert(2), insert(3)].map(outcome))
    expect(told).toEqual(['insert 2 failed', 'insert 2 failed', '3 is on disk after commit'])
  })
})

describe('a group that is flushed later', () => {
  const soon = (n: number): Promise<void> =>
    db.connection().execute(async (connection) => {
      driver.setFlush('later')
      try {
        await connection.transaction().execute(async (trx) => void (await insert(n, trx)))
      } finally {
        driver.setFlush('now')
      }
    })

  it('is left before a writer that must be on disk begins', async () => {
    await Promise.all([soon(1), insert(2)])
    expect(flushes).toEqual(['later', 'now'])
    const second = log.lastIndexOf('begin immediate')
    expect(log.indexOf('commit')).toBeLessThan(second)
    expect(log.indexOf('insert 2')).toBeGreaterThan(second)
  })

  it('joins one that is flushed anyway', async () => {
    await Promise.all([insert(1), soon(2)])
    expect(flushes).toEqual([])
    expect(log.filter((words) => words === 'commit')).toHaveLength(1)
  })
})

describe('a statement by itself', () => {
  const put = (n: number) => db.insertInto('t').values({ n }).compile()

  it('joins the group of its moment and is answered after its commit', async () => {
    const single = driver.execute(put(2), 'now').then(() => `2 is on disk after ${log.at(-1)}`)
    expect(await Promise.all([insert(1), single, insert(3)])).toEqual(
      [1, 2, 3].map((n) => `${n} is on disk after commit`),
    )
    expect(log.filter((words) => words === 'commit')).toHaveLength(1)
  })

  it('waits for a transaction that holds the connection, and does not step into it', async () => {
    const slow = db.transaction().execute(async (trx) => {
      await insert(1, trx)
      await new Promise((resolve) => setTimeout(resolve, 5))
      await insert(2, trx)
    })
    await new Promise((resolve) => setTimeout(resolve, 1))
    await Promise.all([slow, driver.execute(put(3), 'now')])
    expect(log.filter((words) => /insert|release/.test(words))).toEqual([
      ...['insert 1', 'insert 2', 'release work', 'insert 3'],
    ])
  })

  it('that may be flushed later never takes one along that must be on disk', async () => {
    await Promise.all([driver.execute(put(1), 'later'), driver.execute(put(2), 'now'), insert(3)])
    expect(flushes).toEqual(['later', 'now'])
    expect(log).toEqual([
      ...['begin immediate', 'insert 1', 'commit'],
      ...['begin immediate', 'insert 2', 'insert 3', 'commit'],
    ])
  })

  it('that fails fails alone; that ends the transaction, everybody’s who wrote before', async () => {
    failing = { sql: /insert 2/, ends: false }
    const alone = await Promise.all([driver.execute(put(2), 'now'), insert(1)].map(outcome))
    expect(alone).toEqual(['insert 2 failed', '1 is on disk after commit'])
    failing = { sql: /insert 2/, ends: true }
    const all = await Promise.all([insert(1), driver.execute(put(2), 'now'), insert(3)].map(outcome))
    expect(all).toEqual(['insert 2 failed', 'insert 2 failed', '3 is on disk after commit'])
  })

  it('whose commit fails is told so', async () => {
    failing = { sql: /commit/, ends: false }
    expect(await outcome(driver.execute(put(1), 'now'))).toBe('commit failed')
    failing = undefined
    expect(await outcome(driver.execute(put(1), 'now'))).toEqual(expect.objectContaining({ rows: [] }))
  })
})

describe('a driver whose groups are flushed later', () => {
  it('leaves those of the first as they are', async () => {
    const soon = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new OwnLock(),
        createDriver: () => driver.later(),
        createIntrospector: (own) => new SqliteIntrospector(own),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
    await soon.transaction().execute(async (trx) => void (await insert(1, trx)))
    await insert(2)
    expect(flushes).toEqual(['later', 'now'])
    await soon.destroy()
    expect(log).not.toContain('close')
  })
})
