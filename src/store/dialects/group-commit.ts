/**
 * One connection whose writers share disk flushes. What is written until the loop has nothing more to
 * do right now forms a group with one commit; every statement and transaction of the group, reads
 * among it included, is answered only after that commit, so nobody acts on what could still be lost.
 * A transaction is a savepoint in its group: rolling it back leaves the others. A group that need not be
 * flushed by itself never takes in a writer that must be.
 */
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Flush } from './dialect.ts'

export interface GroupedStatement {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

/** The database underneath; every method is synchronous and throws what people understand. */
export interface GroupedDatabase {
  prepare(sql: string): GroupedStatement
  /** False also after SQLite itself has rolled back, as it may on a full disk. */
  isInTransaction(): boolean
  /** How commits are made from now on, `now` at first; never called inside a transaction. */
  setFlush(flush: Flush): void
  close(): void
}

export interface GroupCommitDriver extends Driver {
  /** For the groups that whoever holds the connection opens from now on. */
  setFlush(flush: Flush): void
  /** One statement by itself: what Kysely does with a connection for it, in one step. */
  execute<R>(query: CompiledQuery, flush: Flush): Promise<QueryResult<R>>
  /** A driver over the same connection whose groups are opened to be flushed later. */
  later(): Driver
}

interface Group {
  readonly flush: Flush
  readonly committed: Promise<void>
  readonly succeed: () => void
  readonly fail: (error: unknown) => void
}

export function createGroupCommitDriver(database: GroupedDatabase): GroupCommitDriver {
  const waiting: (() => void)[] = []
  let isHeld = false
  let isDue = false
  let flush: Flush = 'now'
  let lastFlush: Flush = 'now'
  let group: Group | undefined
  let transactionIn: Group | undefined

  const exec = (sql: string): void => void database.prepare(sql).run([])

  const fail = (error: unknown): void => {
    if (database.isInTransaction()) exec('rollback')
    group?.fail(error)
    group = undefined
  }
  const commit = (): void => {
    isDue = false
    if (!group) return
    try {
      exec('commit')
      group.succeed()
      group = undefined
    } catch (error) {
      fail(error)
    }
  }
  const open = (): Group => {
    if (group && group.flush === 'later' && flush === 'now') commit()
    if (group) return group
    if (flush !== lastFlush) database.setFlush(flush)
    lastFlush = flush
    exec('begin immediate')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // Whoever is in the group awaits it; a group that fails before somebody could is no stray rejection.
    promise.catch(() => {})
    group = { flush, committed: promise, succeed: resolve, fail: reject }
    // Runs when everybody who can go on now has had a turn.
    process.nextTick(() => {
      if (isHeld) isDue = true
      else commit()
    })
    return group
  }

  const execute = <R>(query: CompiledQuery): QueryResult<R> => {
    if (transactionIn && group !== transactionIn)
      throw new Error('the transaction is over: an earlier statement of its group has ended it')
    // SQLite refuses it inside a transaction, and a group is one.
    if (/^\s*vacuum\b/i.test(query.sql)) commit()
    else if (!isRead(query)) open()
    try {
      return answer<R>(database.prepare(query.sql), query.parameters)
    } catch (error) {
      // Without its transaction the whole group is lost, not this statement alone.
      if (group && !database.isInTransaction()) fail(error)
      throw error
    }
  }
  const connection: DatabaseConnection = {
    executeQuery: async (query) => execute(query),
    // biome-ignore lint/correctness/useYield: rows are few enough to come at once
    async *streamQuery() {
      throw new Error('rows are not streamed')
    },
  }

  /** Lets the next one in; what is returned resolves when what the holder wrote is committed. */
  const release = (): Promise<void> | undefined => {
    const own = transactionIn ?? group
    transactionIn = undefined
    flush = 'now'
    if (isDue) commit()
    const next = waiting.shift()
    // The hold passes on without a gap into which somebody else could step.
    if (next) next()
    else isHeld = false
    return own?.committed
  }
  const hold = async (): Promise<void> => {
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve))
    isHeld = true
  }

  const driver: GroupCommitDriver = {
    setFlush: (next) => {
      flush = next
    },
    execute: async (query, next) => {
      if (isHeld) await hold()
      isHeld = true
      flush = next
      try {
        return execute(query)
      } finally {
        await release()
      }
    },
    later: () => ({
      ...driver,
      acquireConnection: async () => {
        await hold()
        flush = 'later'
        return connection
      },
      destroy: async () => {},
    }),
    init: async () => {},
    acquireConnection: async () => {
      await hold()
      return connection
    },
    beginTransaction: async () => {
      transactionIn = open()
      exec('savepoint work')
    },
    commitTransaction: async () => {
      // Its group has failed meanwhile; the release says why.
      if (group === transactionIn) exec('release work')
    },
    rollbackTransaction: async () => {
      if (group !== transactionIn) return
      exec('rollback to work')
      exec('release work')
    },
    releaseConnection: async () => {
      await release()
    },
    destroy: async () => {
      commit()
      database.close()
    },
  }
  return driver
}

function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || /^\s*(select|pragma|explain)\b/i.test(sql)
}

function answer<R>(statement: GroupedStatement, parameters: readonly unknown[]): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(parameters) as R[] }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
}
