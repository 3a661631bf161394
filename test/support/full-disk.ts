/** A database that may not grow, as on a full disk. */
import { sql } from 'kysely'
import type { Store } from '../../src/store/store.ts'

/** Until the returned function is called; `spare` pages of 4 KB are still free. */
export async function outOfSpace({ db }: Pick<Store, 'db'>, spare = 4): Promise<() => Promise<void>> {
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db)
  const limit = async (pages: number): Promise<void> => {
    await sql.raw(`PRAGMA max_page_count = ${pages}`).execute(db)
  }
  await limit((rows[0]?.page_count ?? 0) + spare)
  return () => limit(1_000_000)
}
