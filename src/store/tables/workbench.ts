/** Terminals, tasks, overrides of settings, and long jobs. */
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
