/**
 * The tables. This room knows rows and transactions; it refuses to know what they mean.
 * Times are milliseconds; JSON columns are text; booleans are 0 and 1, so that SQLite and
 * PostgreSQL hold the same values.
 */
import type { Generated, Selectable } from 'kysely'

/** Events as they were acknowledged. Rows with `state = 'waiting'` are work. */
export interface InboxTable {
  id: Generated<number>
  /** `<bot>:m:<message id>` or `<bot>:e:<event id>`; unique. */
  dedupe: string
  session_id: string
  bot_id: string
  kind: 'message' | 'command' | 'event'
  state: 'waiting' | 'taken' | 'dropped'
  payload: string
  received_at: number
}

export interface SessionsTable {
  id: string
  bot_id: string
  chat_id: string
  chat_type: 'group' | 'direct'
  thread_id: string | null
  /** Raised by /new: entries of older epochs are history, not context. */
  epoch: number
  model: string | null
  lease_owner: string | null
  /** Wall time; a lease is free when it is past. */
  lease_until: number
  fence: number
  /** Set by /stop; cleared when the run that saw it has ended. */
  stop_requested: number
  /** Set by /compact; cleared by the run that summed the conversation up. */
  compact_requested: number
  /** JSON list of grants given with "for this session". */
  grants: string
  closed_reason: string | null
  /** A suspended run that nobody may be asked about before this time; 0 otherwise. */
  wait_until: Generated<number>
  created_at: number
  updated_at: number
}

export interface SessionLogTable {
  id: Generated<number>
  session_id: string
  epoch: number
  run_id: string
  fence: number
  type: string
  payload: string
  created_at: number
}

export interface RunsTable {
  id: string
  session_id: string
  state: 'running' | 'suspended' | 'done' | 'failed' | 'stopped'
  requester: string
  /** Platform id of the message that the run answers. */
  reply_to: string | null
  /** JSON SentMessage, or what was prepared before it was sent. */
  live: string | null
  /** Crashes in a row; at three the run is parked. */
  crashes: number
  steps: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  cost: number | null
  currency: string | null
  model: string | null
  reason: string | null
  started_at: number
  ended_at: number | null
}

export interface ApprovalsTable {
  id: string
  session_id: string
  run_id: string
  call_id: string
  bot_id: string
  chat_id: string
  /** Canonical call as JSON, and its SHA-256 in hex. */
  call: string
  digest: string
  /** JSON: findings, rule, what to show. */
  findings: string
  requester: string
  /** JSON list of user keys at the time of asking; judged again at the click. */
  approvers: string
  quorum: number
  nonce: string
  /** Short code for the text form, unique among pending rows of the bot. */
  code: string
  status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'consumed'
  scope: 'once' | 'session' | null
  decided_by: string | null
  decided_name: string | null
  decided_at: number | null
  reason: string | null
  consumed_at: number | null
  expires_at: number
  created_at: number
}

export interface OutboxTable {
  id: Generated<number>
  /** Idempotency key on the platform. */
  key: string
  /** Order is kept within a chat. */
  chat_key: string
  session_id: string | null
  bot_id: string
  /** JSON Address. */
  address: string
  /** `final:<run>`, `card:<approval>`, `file:<call>`, `notice`; lets others find the row. */
  ref: string
  payload: string
  priority: 'high' | 'low'
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'unknown'
  attempts: number
  next_at: number
  deadline: number
  /** JSON handle reported before sending. */
  prepared: string | null
  /** JSON SentMessage. */
  sent: string | null
  /** JSON {code, message, hint}. */
  error: string | null
  created_at: number
  sent_at: number | null
}

export interface MediaTable {
  id: string
  session_id: string
  message_id: string
  /** Position among the message's attachments. */
  position: number
  state: 'waiting' | 'ready' | 'failed'
  kind: string
  name: string
  path: string | null
  bytes: number
  error: string | null
  created_at: number
}

export interface AuditTable {
  id: Generated<number>
  at: number
  actor: string
  action: string
  subject: string
  /** JSON, redacted. */
  detail: string
  previous: string
  hash: string
}

export interface LocksTable {
  name: string
  owner: string
  until: number
}

/** Chats the bot knows, and whether it is still in them. */
export interface ChatsTable {
  bot_id: string
  chat_id: string
  state: 'present' | 'removed' | 'disbanded'
  name: string | null
  updated_at: number
}

/** Display names by user key, as last seen. Shown, never compared. */
export interface PeopleTable {
  user: string
  name: string
  updated_at: number
}

/** What happens by itself, and when next. Only rows in state `active` have a next time. */
export interface SchedulesTable {
  id: string
  /** Where it was written down; `config` rows follow the file at every start. */
  source: 'config' | 'chat'
  state: 'active' | 'paused' | 'done' | 'deleted'
  /** Why it is paused: a code of an error or `person`. */
  reason: string | null
  /** JSON ScheduleSpec. */
  spec: string
  /** Destination, for lists by chat. */
  bot_id: string
  chat_id: string
  creator: string
  /** JSON: the creator's name, where it was created, the rights and tools at that time. */
  authority: string
  /** The newest slot that was taken: local time and zone. */
  last_slot: string | null
  next_slot: string | null
  /** The slot's own time; `next_at` adds the jitter. */
  next_due: number | null
  next_at: number | null
  created_at: number
  updated_at: number
}

/** One time of a schedule. The unique pair (schedule_id, slot) makes any number of processes fire once. */
export interface ScheduleSlotsTable {
  schedule_id: string
  /** `2026-03-08T09:00 Asia/Shanghai`, or `manual:…` and `preview:…`. */
  slot: string
  kind: 'due' | 'manual' | 'preview'
  state: 'queued' | 'running' | 'sending' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'replaced'
  due_at: number
  session_id: string
  /** JSON Address that the result goes to. */
  address: string
  run_id: string
  /** Rows of the outbox above this id belong to the slot. */
  outbox_from: Generated<number>
  /** While a report is rendered; past when the renderer died. */
  claimed_until: Generated<number>
  /** JSON list of { code, params }: late, replaced, skipped for want of an approval. */
  notes: Generated<string>
  /** Bytes of everything delivered. */
  size: Generated<number>
  cost: number | null
  currency: string | null
  /** JSON list of platform message ids. */
  deliveries: Generated<string>
  /** JSON { code, message, hint }. */
  error: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
}

/** A change of a schedule that waits for a click. */
export interface ScheduleProposalsTable {
  id: string
  /** Makes a repeated call the same proposal. */
  once: string
  nonce: string
  action: 'create' | 'update' | 'delete'
  schedule_id: string
  /** JSON ScheduleSpec: as it shall be, or as it was when its deletion was asked for. */
  spec: string
  /** JSON Asker. */
  asker: string
  status: 'pending' | 'confirmed' | 'cancelled' | 'expired'
  decided_by: string | null
  decided_name: string | null
  decided_at: number | null
  expires_at: number
  created_at: number
}

/** A remembered value. A scope is a session, or a person within a session; nothing is found outside its own. */
export interface MemoryFactsTable {
  id: string
  scope: string
  key: string
  value: string
  author: string
  /** 1 when the conversation held other people's words as it was written. */
  tainted: number
  /** Float32 numbers, little endian, of `vector_model`. */
  vector: Uint8Array | null
  vector_model: string | null
  created_at: number
  updated_at: number
}

/** Words of a fact's key and value: the full text search of every database. */
export interface MemoryTokensTable {
  scope: string
  token: string
  fact_id: string
  count: number
}

export interface MemoryBlocksTable {
  scope: string
  name: string
  content: string
  author: string
  tainted: number
  updated_at: number
}

/** Helpers that a conversation asks together. Only their own session sees them. */
export interface TeamsTable {
  id: string
  session_id: string
  /** JSON list of { name, role }. */
  members: string
  created_at: number
}

/** One exchange with a member. */
export interface TeamTurnsTable {
  id: Generated<number>
  team_id: string
  member: string
  prompt: string
  answer: string
  tainted: number
  created_at: number
}

/** A tool of another server as it was agreed to. `offered` is what the server says now, if that differs. */
export interface McpToolsTable {
  server: string
  tool: string
  /** SHA-256 of the definition. */
  digest: string
  /** JSON exactly as the server gave it. */
  definition: string
  offered_digest: string | null
  offered: string | null
  /** User key of the administrator who agreed to a change; null when it was pinned at first sight. */
  approved_by: string | null
  updated_at: number
}

/** What a login at a server left: client, tokens, verifier, as JSON. Holds secrets. */
export interface McpLoginsTable {
  server: string
  /** Server the login belongs to; another one never gets it. */
  url: string
  data: string
  updated_at: number
}

/** A call of a remote client. Survives the client, so that its result can be fetched again. */
export interface RemoteCallsTable {
  id: string
  /** Name of the caller's token. */
  caller: string
  session_id: string
  tool: string
  /** JSON as it came. */
  arguments: string
  /** `waiting` for a person; `begun`: it may have had an effect; `ended`: `result` is there. */
  state: 'waiting' | 'begun' | 'ended'
  approval_id: string | null
  /** JSON of the tool's result. */
  result: string | null
  created_at: number
  updated_at: number
}

/** A terminal that somebody opened; its process lives in the service that `owner` names. */
export interface WorkbenchTerminalsTable {
  id: string
  /** Session whose workspace it runs in. */
  session_id: string
  name: string
  /** Relative to the workspace. */
  folder: string
  command: string | null
  state: 'live' | 'ended' | 'lost'
  /** Why it is not live any more: `exit`, `closed`, `idle`, `stopped`, `crashed`. */
  reason: string | null
  owner: string
  revision: number
  /** The last words of a terminal that has ended. */
  tail: string
  /** Characters it has put out, as far as they are known. */
  sequence: number
  created_by: string
  created_at: number
  ended_at: number | null
}

/** A task of a workspace's board. While it is executed, the run's own row says how far it is. */
export interface WorkbenchTasksTable {
  id: string
  /** Session whose workspace it works in. */
  session_id: string
  /** JSON Address of the chat that is asked and told. */
  address: string
  project_id: string
  title: string
  description: string
  acceptance: string
  priority: 'low' | 'medium' | 'high'
  agent_type: string
  stage: 'todo' | 'executing' | 'completed' | 'verified'
  /** `active` while a run has not been settled. */
  execution_state: 'idle' | 'active' | 'failed' | 'completed' | 'stopped'
  output_tail: string
  /** JSON list of { result, note, by, name, at }. */
  validations: string
  /** What a click on the task's card must carry. */
  nonce: string
  created_by: string
  profile_id: string | null
  model_name: string | null
  /** Relative to the workspace. */
  folder: string | null
  terminal_id: string | null
  /** The newest run. */
  run_id: string | null
  /** Dedupe key of the message that started it. */
  prompt: string | null
  /** In whose name it runs. */
  requester: string | null
  last_error: string | null
  recurring: number
  attempts: number
  run_count: number
  /** Raised by every change; a change of an older version is refused. */
  version: number
  created_at: number
  updated_at: number
}

/** Settings that stand above the configuration. Never a credential. */
export interface WorkbenchOverridesTable {
  kind: 'preferences' | 'model' | 'network'
  id: string
  /** JSON. */
  data: string
  updated_by: string
  updated_at: number
}

/** Videos that a provider makes; rows with `state = 'running'` are asked about at `next_at`. */
export interface VideoJobsTable {
  id: string
  session_id: string
  /** JSON Address. */
  address: string
  /** The provider's number; null until it has answered. */
  task_id: string | null
  state: 'asked' | 'running' | 'done' | 'failed'
  error: string | null
  next_at: number
  deadline: number
  created_at: number
}

export interface Database {
  inbox: InboxTable
  sessions: SessionsTable
  session_log: SessionLogTable
  runs: RunsTable
  approvals: ApprovalsTable
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
