/** What the schedule room is given. */
import type { Audit } from '../observability/audit.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Access } from '../policy/access.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { UserKey } from '../protocol/address.ts'
import type { OutboundFile } from '../protocol/outbound.ts'
import type { Clock, Locale, Logger, Random, Translate } from '../protocol/ports.ts'
import type { ReportFile, Reports } from '../protocol/report.ts'
import type { Queue } from '../queue/queue.ts'
import type { Store } from '../store/store.ts'
import type { Calendar } from './calendar.ts'
import type { KnownBots } from './destination.ts'
import type { LocalTimes } from './local-time.ts'
import type { Times } from './times.ts'

/** Functions that take a bot id answer for that bot alone; `adapter` knows nothing of one that is gone. */
export interface ScheduleDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly audit: Audit
  readonly access: Access
  readonly outbox: Outbox
  readonly queue: Queue
  readonly bots: KnownBots
  readonly adapter: (botId: string) => Adapter | undefined
  readonly text: (botId: string) => Translate
  readonly localeOf: (botId: string) => Locale
  readonly admins: readonly UserKey[]
  readonly times: Times
  readonly local: LocalTimes
  readonly calendar: Calendar
  /** Zone of schedules that name none. */
  readonly timezone: string
  /** Absent when no report is installed. */
  readonly reports: Reports | undefined
  /** Stops a session's run in this process; others see the flag in its row. */
  readonly interrupt: (sessionId: string) => void
  /** An immutable copy of a report's file for the outbox. */
  readonly snapshot: (
    sessionId: string,
    file: ReportFile,
    kind: OutboundFile['kind'],
  ) => Promise<OutboundFile>
}
