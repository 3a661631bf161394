/** The tools of one server: what it lists, against what was agreed to. */
import type { Clock, Logger } from '../../protocol/ports.ts'
import { approveTools } from '../../store/repositories/mcp.ts'
import type { Store } from '../../store/store.ts'
import type { Definition } from './definition.ts'
import { type Agreement, changesCode, readAtOnce, reconcile, storedAgreement } from './pins.ts'

export interface ToolListDeps {
  readonly server: string
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** What the server lists now; undefined while it is not connected. */
  readonly listed: () => Promise<readonly Definition[]> | undefined
  readonly onChange: () => void
  /** Tools that were agreed to and are so no longer. */
  readonly onWithdrawn: (tools: readonly string[]) => void
}

export interface ToolList {
  readonly agreement: Agreement
  /** What was agreed to earlier, before the server is connected. */
  load(): Promise<void>
  /** Looks now. */
  look(): Promise<void>
  /** Looks soon: many changes at once are one look, and looks come a second apart. */
  lookSoon(): void
  /** Agrees to the changes that this code names; undefined when they are no longer what it offers. */
  approve(code: string, by: string): Promise<readonly string[] | undefined>
}

/** How long after the first sight of a server further tools of it belong to that first sight. */
const FIRST_SIGHT_MS = 10_000
const PAUSE_MS = 1_000

export function createToolList(deps: ToolListDeps): ToolList {
  const { server, store, clock, logger } = deps
  let agreement: Agreement = { agreed: [], changes: [] }
  let isKnown = true
  let firstSightUntil: number | undefined
  let looking = false
  let lookAgain = false

  const look = async (): Promise<void> => {
    const listed = await deps.listed()
    if (!listed) return
    const before = agreement
    // Some servers add tools right after the hello: those belong to the first sight as well.
    if (!isKnown) firstSightUntil ??= clock.monotonic() + FIRST_SIGHT_MS
    const pinUnknown = firstSightUntil !== undefined && clock.monotonic() < firstSightUntil
    agreement = await reconcile(store, server, listed, { pinUnknown, now: clock.now() })
    const news = agreement.changes.filter(
      (change) => !before.changes.some((one) => one.digest === change.digest),
    )
    if (news.length > 0) {
      const message = 'an MCP server changed its tools; they wait for an administrator: /mcp show'
      logger.warn({ tools: news.map(({ tool }) => tool) }, message)
    }
    const withdrawn = news.filter(({ before: agreed }) => agreed !== undefined).map(({ tool }) => tool)
    if (withdrawn.length > 0) deps.onWithdrawn(withdrawn)
    deps.onChange()
  }
  const keepLooking = async (): Promise<void> => {
    while (lookAgain) {
      lookAgain = false
      await look().catch((error: unknown) => logger.warn({ error }, 'tools of an MCP server are not known'))
      await clock.sleep(PAUSE_MS)
    }
    looking = false
  }
  return {
    get agreement() {
      return agreement
    },
    load: async () => {
      agreement = await storedAgreement(store, server)
      isKnown = agreement.agreed.length + agreement.changes.length > 0
    },
    look,
    lookSoon: () => {
      lookAgain = true
      if (looking) return
      looking = true
      void keepLooking()
    },
    approve: async (code, by) => {
      if (code !== changesCode(agreement.changes)) return undefined
      const read = new Map(readAtOnce(agreement.changes).map(({ tool, digest }) => [tool, digest]))
      const tools = await store.transaction((trx) => approveTools(trx, server, read, by, clock.now()))
      if (deps.listed() === undefined) agreement = await storedAgreement(store, server)
      await look()
      deps.onChange()
      return tools
    },
  }
}
