/** What the worker is given. Everything behind a port, so that tests put twins here. */
import type { Approvals } from '../approval/approvals.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Access } from '../policy/access.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import type { Card } from '../protocol/card.ts'
import type { Budget, Engine, Gate } from '../protocol/engine.ts'
import type { AppError } from '../protocol/errors.ts'
import type { Model } from '../protocol/model.ts'
import type { Clock, Locale, Logger, Random, Translate } from '../protocol/ports.ts'
import type { Sandbox } from '../protocol/sandbox.ts'
import type { ScheduledRuns } from '../protocol/schedule.ts'
import type { AnyTool, ToolScope } from '../protocol/tool.ts'
import type { CallDiscipline } from '../protocol/tool-calls.ts'
import type { Queue } from '../queue/queue.ts'
import type { Conversations } from '../session/conversations.ts'
import type { Input } from '../session/input.ts'
import type { Recollect, WritableView } from '../session/view.ts'
import type { ApprovalRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Spending } from './spending.ts'
import type { WatchdogLimits } from './watchdog.ts'

/** The approval's face: what is sent when it opens, what its card becomes when it is decided. */
export interface ApprovalFaces {
  pending(
    row: ApprovalRow,
    adapter: Adapter,
  ): Promise<{ readonly card: Card; readonly attachment?: { readonly name: string; readonly text: string } }>
  decided(row: ApprovalRow, adapter: Adapter): Card
}

export interface RunSummary {
  readonly sessionId: string
  readonly runId: string
  readonly platform: string
  readonly model: string
  readonly outcome: string
  readonly ms: number
}

export interface WorkerDeps {
  /** Names this process in leases. */
  readonly owner: string
  readonly store: Store
  readonly queue: Queue
  readonly outbox: Outbox
  readonly input: Input
  readonly approvals: Approvals
  readonly faces: ApprovalFaces
  readonly access: Access
  readonly sandbox: Sandbox
  readonly engine: Engine
  readonly models: { readonly defaultName: string; get(name: string, botId: string): Model }
  readonly adapter: (botId: string) => Adapter | undefined
  /** Tools of a session: the platform's own and, without the right to operate, only those that read. */
  readonly tools: (scope: ToolScope) => readonly AnyTool[]
  /** Waits a moment for tools that are still on their way; not for long, and never rejects. */
  readonly settleTools?: () => Promise<void>
  /** Gate whose intent entries go through the session's own fenced view. */
  readonly gate: (view: WritableView) => Gate
  /** Runs that time started: fewer tools, no running message, notes under the answer. */
  readonly schedules: ScheduledRuns
  readonly conversations?: Conversations
  /** Memory that a session's conversation begins with. */
  readonly recollect?: (sessionId: string) => Recollect
  readonly systemPrompt: (address: Address, platform: string, locale: Locale) => string
  readonly localeOf: (botId: string) => Locale
  readonly text: (botId: string) => Translate
  readonly budget: Budget
  /** What the chat and the service may still use today. */
  readonly spending: Spending
  readonly watchdog: WatchdogLimits
  readonly dataDir: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** What holds for every tool call: redaction, statistics, audit. */
  readonly discipline?: CallDiscipline
  /** Told once a session is closed for good. */
  readonly onSessionClosed?: (sessionId: string) => Promise<void>
  /** Told of every tool call that is over. */
  readonly onToolEnded: (tool: string, outcome: 'ok' | 'failed' | 'denied', ms: number) => void
  readonly onRunEnded: (summary: RunSummary) => void
  /** The error that an abort of this kind carries. */
  readonly reason: (code: string) => AppError
}
