/** Which log entries bring other people's words into a session. */
import type { LogEntry } from './session-log.ts'

/**
 * Tools whose results are other people's words. MCP tools are named `mcp__<server>__<tool>`; a form of
 * the company holds what its applicant wrote.
 */
const FOREIGN_TOOLS = /^(web_|browser|mcp__|mcp_|wecom_approval_)/

/**
 * True for an entry that brings in words nobody in the chat typed: a quote, a forward, a file whoever
 * wrote it, a web page, what a command fetches, an answer of an MCP server, or what a helper or the memory made of them. One such entry taints the
 * session until `/new`, compaction or not.
 */
export function taints(entry: LogEntry): boolean {
  if (entry.type === 'user')
    return entry.messages.some(({ context, files }) => context.length + files.length > 0)
  if (entry.type === 'memory') return entry.blocks.some((block) => block.tainted)
  if (entry.type === 'intent') return entry.foreign === true
  return entry.type === 'result' && (entry.foreign === true || FOREIGN_TOOLS.test(entry.tool))
}
