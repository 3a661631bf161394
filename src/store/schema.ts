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

export type ApprovalRow = Selectable<ApprovalsTable>
export type McpToolRow = Selectable<McpToolsTable>
export type RemoteCallRow = Selectable<RemoteCallsTable>
export type InboxRow = Selectable<InboxTable>
export type OutboxRow = Selectable<OutboxTable>
export type RunRow = Selectable<RunsTable>
export type ScheduleProposalRow = Selectable<ScheduleProposalsTable>
export type ScheduleRow = Selectable<SchedulesTable>
export type ScheduleSlotRow = Selectable<ScheduleSlotsTable>
export type VideoJobRow = Selectable<VideoJobsTable>
export type SessionRow = Selectable<SessionsTable>
export type MemoryBlockRow = Selectable<MemoryBlocksTable>
export type MemoryFactRow = Selectable<MemoryFactsTable>
export type WorkbenchTaskRow = Selectable<WorkbenchTasksTable>
export type WorkbenchTerminalRow = Selectable<WorkbenchTerminalsTable>
