/** Reports a finished call to statistics and audit. */
import type { ToolResult } from '../../protocol/tool.ts'
import type { Run } from './run.ts'

export interface EndedCall {
  readonly callId: string
  readonly tool: string
  readonly args: string
  readonly status: 'ok' | 'failed' | 'denied'
  readonly ms: number
}

/** Reports one call; a tool name that does not exist is reported as `unknown`. */
export function reportCall(run: Run, call: EndedCall, result: ToolResult): void {
  const { sessionId, runId, address, requester } = run.session
  run.deps.discipline?.report({
    ...call,
    // A name that the model made up must not become a row of the statistics.
    tool: run.tools.find(call.tool) ? call.tool : 'unknown',
    characters: result.ok ? result.text.length : result.error.message.length,
    ...(result.ok ? {} : { error: result.error }),
    ...{ sessionId, runId, address, requester },
  })
}
