/** Stored overrides of the configuration, cached in memory. Unreadable rows are ignored. */
import { z } from 'zod'
import type { Audit } from '../../observability/audit.ts'
import type { UserKey } from '../../protocol/address.ts'
import type { Clock } from '../../protocol/ports.ts'
import { readOverrides, saveOverride } from '../../store/repositories/workbench-overrides.ts'
import type { Store } from '../../store/store.ts'
import type { WorkbenchOverridesTable } from '../../store/tables/workbench.ts'
import { type NetworkOverride, networkOverride } from './network.ts'
import { type ModelOverride, modelOverride } from './profiles.ts'

const preferencesSchema = z.object({
  language: z.enum(['zh-CN', 'en']).optional(),
  defaultModel: z.string().optional(),
  defaultNetwork: z.string().optional(),
})

type Preferences = z.output<typeof preferencesSchema>
type Row = Pick<WorkbenchOverridesTable, 'kind' | 'id' | 'data'>

export interface Override {
  readonly kind: Row['kind']
  readonly id: string
  readonly data: object
}

export interface Overrides {
  preferences(): Preferences
  model(id: string): ModelOverride
  network(id: string): NetworkOverride
  /** In one transaction, with an audit row each; then reads them back. */
  save(changes: readonly Override[], by: UserKey): Promise<void>
  refresh(): Promise<void>
}

/** Id of the one row of preferences. */
export const PREFERENCES = 'all'

/** @param onChange told after anything differs from before */
export function createOverrides(
  deps: { readonly store: Store; readonly clock: Clock; readonly audit: Audit },
  onChange: () => void,
): Overrides {
  let rows: readonly Row[] = []
  const data = (kind: Row['kind'], id: string): unknown => {
    const row = rows.find((one) => one.kind === kind && one.id === id)
    return row === undefined ? {} : JSON.parse(row.data)
  }
  const refresh = async (): Promise<void> => {
    const found = await readOverrides(deps.store.db)
    if (JSON.stringify(found) === JSON.stringify(rows)) return
    rows = found
    onChange()
  }
  return {
    preferences: () => preferencesSchema.catch({}).parse(data('preferences', PREFERENCES)),
    model: (id) => modelOverride.catch({}).parse(data('model', id)),
    network: (id) => networkOverride.catch({}).parse(data('network', id)),
    refresh,
    save: async (changes, by) => {
      await deps.store.transaction(async (trx) => {
        for (const { kind, id, data: value } of changes) {
          const row = { kind, id, data: JSON.stringify(value), updated_by: by }
          await saveOverride(trx, { ...row, updated_at: deps.clock.now() })
          const entry = { actor: by, action: 'settings.changed', subject: `${kind}:${id}` }
          await deps.audit.append(trx, { ...entry, detail: { ...value } })
        }
      })
      await refresh()
    },
  }
}
