/** Settings above the configuration, one row per profile. */

import type { Db } from '../store.ts'
import type { WorkbenchOverridesTable } from '../tables/workbench.ts'

/** All of them; `data` is JSON that the reader checks. */
export async function readOverrides(
  db: Db,
): Promise<Pick<WorkbenchOverridesTable, 'kind' | 'id' | 'data'>[]> {
  return db
    .selectFrom('workbench_overrides')
    .select(['kind', 'id', 'data'])
    .orderBy('kind')
    .orderBy('id')
    .execute()
}

/** Replaces the earlier one of this kind and id. */
export async function saveOverride(db: Db, row: WorkbenchOverridesTable): Promise<void> {
  await db
    .insertInto('workbench_overrides')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['kind', 'id']).doUpdateSet({
        data: row.data,
        updated_by: row.updated_by,
        updated_at: row.updated_at,
      }),
    )
    .execute()
}
