import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, it } from 'vitest'
import { dedupeKey } from '../../../src/gateway/message-key.ts'
import { createSqliteDialect } from '../../../src/store/dialects/sqlite.ts'
import { migrations } from '../../../src/store/migrations/index.ts'
import { insertInbox } from '../../../src/store/repositories/inbox.ts'
import type { Database } from '../../../src/store/schema.ts'
import { openStore } from '../../../src/store/store.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { messageEvent } from '../gateway/stage.ts'

const sentAt = 1_767_575_400_123
const rowOf = (dedupe: string, messageId: string, time = sentAt) => ({
  ...{ dedupe, session_id: 's', bot_id: 'ops', state: 'taken' as const, received_at: 1 },
  ...{ kind: 'message' as const, payload: JSON.stringify({ messageId, sentAt: time }) },
})

it('an upgrade knows the messages of before by their new keys, and leaves every other key as it was', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-times-'))
  const dialect = createSqliteDialect(join(dataDir, 'yizhan.db'))
  const before = new Kysely<Database>({ dialect: dialect.kysely })
  const migrator = new Migrator({ db: before, provider: { getMigrations: async () => migrations(dialect) } })
  expect((await migrator.migrateTo('0012-spending-days')).error).toBeUndefined()
  const others = [
    rowOf('ops:m:CAIQ1', 'CAIQ1'),
    rowOf('ops:m:om_timeless', 'om_timeless', 0),
    { ...rowOf('ops:m:om_recalled', 'om_recalled'), kind: 'event' as const },
    rowOf('ops:job:ops/oc_1/:7', 'om_job'),
  ]
  await before
    .insertInto('inbox')
    .values([rowOf('ops:m:om_a', 'om_a'), ...others])
    .execute()
  await before.destroy()

  const store = await openStore({ dataDir, logger: createCollectingLogger() })
  const keys = await store.db.selectFrom('inbox').select('dedupe').orderBy('id').execute()
  const moved = dedupeKey(messageEvent({ messageId: 'om_a', sentAt, isSentAtFixed: true }))
  expect(keys.map(({ dedupe }) => dedupe)).toEqual([moved, ...others.map(({ dedupe }) => dedupe)])
  const copy = { dedupe: moved, sessionId: 's', botId: 'ops', kind: 'message', state: 'waiting' } as const
  expect((await insertInbox(store.db, [{ ...copy, payload: '{}', receivedAt: 2 }])).size).toBe(0)
  await store.close()
})
