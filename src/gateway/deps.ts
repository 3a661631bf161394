/** What the gateway is given. */
import type { Approvals } from '../approval/approvals.ts'
import type { Memory } from '../memory/memory.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Access } from '../policy/access.ts'
import type { Receipt } from '../protocol/adapter.ts'
import type {
  ActionEvent,
  FeedbackEvent,
  MessageEvent,
  OaApprovalEvent,
  ReactionEvent,
} from '../protocol/inbound.ts'
import type { Clock, Logger, Random, Translate } from '../protocol/ports.ts'
import type { Asker, ScheduleDesk } from '../protocol/schedule.ts'
import type { ToolSummary } from '../protocol/tool.ts'
import type { CallStatistics } from '../protocol/tool-calls.ts'
import type { TaskDesk } from '../protocol/workbench.ts'
import type { Queue } from '../queue/queue.ts'
import type { InboxRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'

export interface GatewayDeps {
  readonly store: Store
  readonly queue: Queue
  readonly outbox: Outbox
  readonly approvals: Approvals
  readonly access: Access
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly text: (botId: string) => Translate
  readonly answerAll: (botId: string) => boolean
  /** Section `inbound` of the configuration. */
  readonly inbound: {
    readonly staleAfter: number
    readonly dropReplays: boolean
    readonly botChain: number
  }
  readonly prefetch: (row: Pick<InboxRow, 'id' | 'session_id' | 'payload'>) => void
  readonly waitingCommands: () => Promise<InboxRow[]>
  /** Stops the session's run in this process. */
  readonly interrupt: (sessionId: string) => void
  readonly models: { readonly defaultName: string; readonly names: readonly string[] }
  /** Name that people see for a model. */
  readonly modelLabel: (name: string) => string
  readonly tools: (botId: string) => readonly ToolSummary[]
  /** What the chat has remembered; listed and erased by its members. */
  readonly memory: Pick<Memory, 'facts' | 'blocks' | 'forget'>
  /** Tool calls of one chat by its key, or of all. */
  readonly statistics: (chat?: string) => CallStatistics
  readonly dataDir: string
  /** What is to happen by itself: shown, paused, run, changed. */
  readonly schedules: { readonly desk: ScheduleDesk; readonly asker: (event: MessageEvent) => Promise<Asker> }
  /** The task board of a chat. */
  readonly tasks: TaskDesk
  /** Answers `/mcp`. */
  readonly mcp: (question: {
    readonly args: readonly string[]
    readonly user: string
    readonly isAdmin: boolean
    readonly isDirect: boolean
    readonly text: Translate
  }) => Promise<string>
  /** A click on a card. */
  readonly handleAction: (event: ActionEvent) => Promise<Receipt>
  /** Whether a text may be a decision ("允许 ABC234"); deciding is {@link GatewayDeps.decideByText}. */
  readonly decisionText: (event: MessageEvent) => boolean
  /** Carries such a text out and returns what to answer; undefined when it is no decision after all. */
  readonly decideByText: (event: MessageEvent) => Promise<string | undefined>
  readonly onOther: (event: ReactionEvent | FeedbackEvent | OaApprovalEvent) => Promise<void>
  readonly count: (metric: 'events', labels: { type: string; verdict: string }) => void
}
