/** What is wrong with a server, in the language of the reader; its own words follow, as they are. */
import { isAppError } from '../../protocol/errors.ts'
import type { Translate } from '../../protocol/ports.ts'

/** `connect`: anything that has no kind of its own. */
export type Trouble =
  | 'connect'
  | 'ended'
  | 'timeout'
  | 'program'
  | 'path'
  | 'list'
  | 'sandbox'
  | 'login'
  | 'entry'

const BY_CODE: Readonly<Record<string, Trouble>> = {
  'mcp.program_missing': 'program',
  'mcp.path_refused': 'path',
  'mcp.endless_list': 'list',
  'mcp.bad_entry': 'entry',
  'sandbox.unavailable': 'sandbox',
}

/** The kind of a failed connection. */
export async function troubleOf(error: unknown): Promise<Trouble> {
  if (isAppError(error)) return BY_CODE[error.code] ?? 'connect'
  const { ErrorCode, McpError } = await import('@modelcontextprotocol/sdk/types.js')
  if (!(error instanceof McpError)) return 'connect'
  if (error.code === ErrorCode.RequestTimeout) return 'timeout'
  return error.code === ErrorCode.ConnectionClosed ? 'ended' : 'connect'
}

/** Empty for a server that is ready. `why` must be clean already. */
export function troubleText(trouble: Trouble, why: string, text: Translate): string {
  return why === '' ? '' : text('mcp.why', { reason: text(`mcp.why.${trouble}`), why })
}
