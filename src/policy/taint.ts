import type { LogEntry } from '../protocol/session-log.ts'

/** Tools whose results are other people's words. MCP tools are named `mcp__<server>__<tool>`. */
const FOREIGN_TOOLS = /^(web_|browser|mcp__|mcp_)/

/**
 * True for an entry that brings in words nobody in the chat typed: a quote, a forward, a web page, an
 * answer of an MCP server. One such entry taints the session until `/new`, compaction or not.
 */
export function taints(entry: LogEntry): boolean {
  if (entry.type === 'user') return entry.messages.some((message) => message.context.length > 0)
  return entry.type === 'result' && FOREIGN_TOOLS.test(entry.tool)
}
