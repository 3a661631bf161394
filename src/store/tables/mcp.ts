/** Servers of others and remote callers. */
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
  /** Process that runs it, in state `begun`. */
  owner: string | null
  /** JSON of the tool's result. */
  result: string | null
  created_at: number
  updated_at: number
}
