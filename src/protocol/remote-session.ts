/** Keys of the sessions of remote MCP clients. Keys of chats have no colon, so the two never meet. */

/** Calls that clients of the running service make. */
export const REMOTE_CALLS = 'remote:'

/** Runs that clients start by `run_agent`: `remote-run:<caller>:<conversation>`. */
export const REMOTE_RUNS = 'remote-run:'

/** Calls of one stdio process; `digest` names its folder, so that processes of two folders stay apart. */
export function stdioSessionPrefix(digest: string): string {
  return `remote-${digest}:`
}

/** True for every session of a remote client. */
export function isRemoteSession(sessionId: string): boolean {
  return /^remote[-:]/.test(sessionId)
}
