/** What the workbench is given. */
import type { Approvals } from '../approval/approvals.ts'
import type { WorkbenchConfig } from '../config/schema.ts'
import type { Audit } from '../observability/audit.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Access } from '../policy/access.ts'
import type { Address } from '../protocol/address.ts'
import type { Clock, Logger, Random, Translate } from '../protocol/ports.ts'
import type { Sandbox } from '../protocol/sandbox.ts'
import type { Queue } from '../queue/queue.ts'
import type { ProgramLauncher } from '../sandbox/index.ts'
import type { Presence } from '../store/presence.ts'
import type { Store } from '../store/store.ts'
import type { Settings } from './settings/settings.ts'

export interface WorkbenchDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly audit: Audit
  readonly access: Access
  readonly approvals: Pick<Approvals, 'byCall' | 'cancelSession'>
  readonly outbox: Pick<Outbox, 'put' | 'flush'>
  readonly queue: Pick<Queue, 'wake'>
  readonly sandbox: Sandbox & ProgramLauncher
  /** What the sandbox lets commands reach. */
  readonly network: 'none' | 'host'
  readonly settings: Settings
  readonly config: WorkbenchConfig
  readonly dataDir: string
  /** Names this process. */
  readonly owner: string
  /** Who else is there: a terminal of a process that is not is gone. */
  readonly presence: Pick<Presence, 'others'>
  readonly text: (botId: string) => Translate
  /** Stops a session's run in this process; others see the flag in its row. */
  readonly interrupt: (sessionId: string) => void
  /** Chats whose workspaces a session sees beside its own. */
  readonly alsoSees: (sessionId: string) => readonly Pick<Address, 'botId' | 'chatId' | 'threadId'>[]
}
