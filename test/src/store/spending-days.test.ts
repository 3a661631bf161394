import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, it } from 'vitest'
import { createSqliteDialect } from '../../../src/store/dialects/sqlite.ts'
import { migrations } from '../../../src/store/migrations/index.ts'
import { spentSince } from '../../../src/store/repositories/spending.ts'
import type { Database } from '../../../src/store/schema.ts'
import { openStore } from '../../../src/store/store.ts'
import { createCollectingLogger } from '../../support/logger.ts'

const DAY_MS = 86_400_000

it('R19: an upgrade in the middle of a day forgets nothing of what the day has used', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-days-'))
  const dialect = createSqliteDialect(join(dataDir, 'yizhan.db'))
  const before = new Kysely<Database>({ dialect: dialect.kysely })
  const migrator = new Migrator({ db: before, provider: { getMigrations: async () => migrations(dialect) } })
  expect((await migrator.migrateTo('0011-spending')).error).toBeUndefined()
  const session = { id: 's', bot_id: 'ops', chat_id: 'oc_1', chat_type: 'group' as const, epoch: 0 }
  const fresh = { fence: 0, lease_until: 0, stop_requested: 0, compact_requested: 0, grants: '[]' }
  await before
    .insertInto('sessions')
    .values({ ...session, ...fresh, created_at: 0, updated_at: 0 })
    .execute()
  const run = { session_id: 's', state: 'done' as const, requester: 'feishu:ou_1', crashes: 0, steps: 1 }
  const used = { input_tokens: 100, cached_tokens: 30, output_tokens: 5 }
  const starts = [1, 9.5 * DAY_MS, 10 * DAY_MS + 1]
  const rows = starts.map((started_at, id) => ({ ...run, ...used, id: String(id), started_at }))
  await before.insertInto('runs').values(rows).execute()
  await before.destroy()

  const store = await openStore({ dataDir, logger: createCollectingLogger() })
  expect(await spentSince(store.db, 10 * DAY_MS)).toMatchObject([{ chatId: 'oc_1', tokens: 75 }])
  expect(await spentSince(store.db, 9 * DAY_MS)).toMatchObject([{ chatId: 'oc_1', tokens: 150 }])
  await store.close()
})
