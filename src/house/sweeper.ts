/** The sweeper, and what it wipes of chats that are gone. */
import type { Audit } from '../observability/audit.ts'
import { wipeGoneChats } from '../worker/retention.ts'
import { createSweeper, type Sweeper } from '../worker/sweeper.ts'
import type { HouseOptions } from './house.ts'
import type { Messaging } from './messaging.ts'

type Swept = Parameters<typeof createSweeper>[0]

/** The sweeper with everything that it repairs. */
export function buildSweeper(
  parts: Messaging & Pick<Swept, 'queue'> & { readonly options: HouseOptions; readonly audit: Audit },
  recoverCommands: Swept['recoverCommands'],
): Sweeper {
  const { queue, outbox, approvals, audit } = parts
  const { store, clock, logger, dataDir, config, owner } = parts.options
  const wipe = (): Promise<void> =>
    wipeGoneChats({
      ...{ store, clock, logger, dataDir, owner },
      onWiped: (subject) =>
        store.transaction((trx) =>
          audit.append(trx, { actor: 'system', action: 'workspace.wiped', subject, detail: {} }),
        ),
      keep: config.retention.goneChats,
    })
  return createSweeper({ store, queue, outbox, approvals, recoverCommands, wipe, clock, logger })
}
