/**
 * The tables. This room knows rows and transactions; it refuses to know what they mean.
 * Times are milliseconds; JSON columns are text; booleans are 0 and 1, so that SQLite and
 * PostgreSQL hold the same values.
 */
import type { Selectable } from 'kysely'
import type { ApprovalMutesTable, ApprovalsTable, AuditTable } from './tables/approval.ts'
import type { ChatsTable, LocksTable, OutboxTable, PeopleTable } from './tables/delivery.ts'
import type { BotChainsTable, InboxTable, MediaTable } from './tables/intake.ts'
import type { McpLoginsTable, McpToolsTable, RemoteCallsTable } from './tables/mcp.ts'
import type {
  MemoryBlocksTable,
  MemoryFactsTable,
  MemoryTokensTable,
  TeamsTable,
  TeamTurnsTable,
} from './tables/memory.ts'
import type { ScheduleProposalsTable, ScheduleSlotsTable, SchedulesTable } from './tables/schedule.ts'
import type { RunsTable, SessionLogTable, SessionsTable } from './tables/session.ts'
import type {
  VideoJobsTable,
  WorkbenchOverridesTable,
  WorkbenchTasksTable,
  WorkbenchTerminalsTable,
} from './tables/workbench.ts'

/** What Kysely knows of the tables; the migrations make them. */
export interface Database {
  inbox: InboxTable
  bot_chains: BotChainsTable
  sessions: SessionsTable
  session_log: SessionLogTable
  runs: RunsTable
  approvals: ApprovalsTable
  approval_mutes: ApprovalMutesTable
  outbox: OutboxTable
  media: MediaTable
  audit: AuditTable
  locks: LocksTable
  chats: ChatsTable
  people: PeopleTable
  mcp_tools: McpToolsTable
  mcp_logins: McpLoginsTable
  remote_calls: RemoteCallsTable
  memory_facts: MemoryFactsTable
  memory_tokens: MemoryTokensTable
  memory_blocks: MemoryBlocksTable
  teams: TeamsTable
  team_turns: TeamTurnsTable
  schedules: SchedulesTable
  schedule_slots: ScheduleSlotsTable
  schedule_proposals: ScheduleProposalsTable
  workbench_terminals: WorkbenchTerminalsTable
  workbench_tasks: WorkbenchTasksTable
  workbench_overrides: WorkbenchOverridesTable
  video_jobs: VideoJobsTable
}

/** One exact call that waits, or waited, for a person. */
export type ApprovalRow = Selectable<ApprovalsTable>
/** A tool of another server, as an administrator agreed to it. */
export type McpToolRow = Selectable<McpToolsTable>
/** A call of a remote client, kept with its result. */
export type RemoteCallRow = Selectable<RemoteCallsTable>
/** An event as it was acknowledged. */
export type InboxRow = Selectable<InboxTable>
/** A message on its way out, and afterwards. */
export type OutboxRow = Selectable<OutboxTable>
/** One answer of the agent. */
export type RunRow = Selectable<RunsTable>
/** A change of a schedule that waits for a click. */
export type ScheduleProposalRow = Selectable<ScheduleProposalsTable>
/** A schedule and its next time. */
export type ScheduleRow = Selectable<SchedulesTable>
/** One time of a schedule. */
export type ScheduleSlotRow = Selectable<ScheduleSlotsTable>
/** A video that is being made elsewhere. */
export type VideoJobRow = Selectable<VideoJobsTable>
/** A conversation with its lease, its grants and its epoch. */
export type SessionRow = Selectable<SessionsTable>
/** A text that opens conversations. */
export type MemoryBlockRow = Selectable<MemoryBlocksTable>
/** A remembered fact; `vector` is null until it was embedded. */
export type MemoryFactRow = Selectable<MemoryFactsTable>
/** A card of the task board. */
export type WorkbenchTaskRow = Selectable<WorkbenchTasksTable>
/** A terminal and the process that holds it. */
export type WorkbenchTerminalRow = Selectable<WorkbenchTerminalsTable>
