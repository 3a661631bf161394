/** R29: work that an older version left in the middle goes on after the upgrade, from whichever version. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { describe, expect, it } from 'vitest'
import { chatKey } from '../../../src/protocol/address.ts'
import type { LogEntry } from '../../../src/protocol/session-log.ts'
import { createSqliteDialect } from '../../../src/store/dialects/sqlite.ts'
import { migrations } from '../../../src/store/migrations/index.ts'
import { recentRuns } from '../../../src/store/repositories/runs.ts'
import { isEmbedded } from '../../support/store.ts'
import { group, messageEvent, session } from '../gateway/stage.ts'
import { ended, type Run, workerStages } from './stage.ts'

const NOW = Date.UTC(2026, 0, 5, 1)
const ASKED: LogEntry = {
  type: 'user',
  messages: [
    {
      ...{ messageId: 'om_a', user: 'feishu:ou_1', name: '张三', text: '一', sentAt: NOW, replyTo: 'om_a' },
      ...{ context: [], files: [], notes: [] },
    },
  ],
}
/** What the first version wrote, and every later one reads. */
const ROWS: Readonly<Record<string, Record<string, string | number | null>>> = {
  sessions: {
    ...{ id: session, bot_id: 'ops', chat_id: group.chatId, chat_type: 'group' },
    ...{ fence: 7, lease_owner: 'gone', lease_until: NOW - 1, created_at: NOW, updated_at: NOW },
  },
  runs: {
    ...{ id: 'r1', session_id: session, state: 'running', requester: 'feishu:ou_1', reply_to: 'om_a' },
    ...{ model: 'main', started_at: NOW },
  },
  session_log: {
    ...{
      session_id: session,
      epoch: 0,
      run_id: 'r1',
      fence: 7,
      type: 'user',
      payload: JSON.stringify(ASKED),
    },
    created_at: NOW,
  },
  inbox: {
    ...{ dedupe: 'ops:m:om_b', session_id: session, bot_id: 'ops', kind: 'message', state: 'waiting' },
    payload: JSON.stringify(messageEvent({ messageId: 'om_b', text: '二', mentionsBot: true })),
    received_at: NOW,
  },
  outbox: {
    ...{ key: 'n1', chat_key: chatKey(group), bot_id: 'ops', address: JSON.stringify(group), ref: 'notice' },
    payload: JSON.stringify({ message: { type: 'markdown', markdown: 'words of before' } }),
    ...{ priority: 'high', state: 'pending', next_at: NOW, deadline: NOW + 3_600_000, created_at: NOW },
  },
}

/** A database as the version with this last migration left it. */
async function leftBy(migration: string): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-upgrade-'))
  const dialect = createSqliteDialect(join(dataDir, 'yizhan.db'))
  const db = new Kysely<unknown>({ dialect: dialect.kysely })
  await dialect.check()
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(dialect) } })
  const { error } = await migrator.migrateTo(migration)
  if (error) throw error
  for (const [table, row] of Object.entries(ROWS)) {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)))
    await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
      db,
    )
  }
  await db.destroy()
  return dataDir
}

/** Tells what it finds of before, and reads what waits. */
const goesOn: Run = async function* (view) {
  const heard = (): string =>
    view
      .entries()
      .flatMap(({ entry }) => (entry.type === 'user' ? entry.messages.map(({ text }) => text) : []))
      .join('')
  const before = heard()
  await view.takeInput()
  yield ended(`${before}, then ${heard()}`)
}

const open = workerStages()
const every = Object.keys(migrations(createSqliteDialect(':memory:')))

describe.runIf(isEmbedded)('R29: work in the middle, left by the version of', () => {
  it.each(every)('%s, goes on', async (migration) => {
    const { store, adapter, work } = await open([goesOn], await leftBy(migration))
    await work()
    expect(adapter.messages()).toEqual(['一, then 一二', 'words of before'])
    expect(await recentRuns(store.db, session, 5)).toMatchObject([{ id: 'r1', state: 'done' }])
    const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
      store.db,
    )
    expect(applied.rows.map(({ name }) => name)).toEqual(every)
  })
})
