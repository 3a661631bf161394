/** What a call's failure means: for the model, for the server, and for trying again. */
import { isAppError } from '../../protocol/errors.ts'
import { type ToolResult, toolError } from '../../protocol/tool.ts'
import { cleanLine } from './clean-text.ts'

export interface CallFailure {
  readonly result: ToolResult
  /** The server may be gone or stuck. */
  readonly suspicious: boolean
  /** Nothing was done: the same call may be made again once the server is connected. */
  readonly retry: boolean
}

/** `server` is its name, so that whoever reads the failure knows which one to look at. */
export async function judgeFailure(server: string, error: unknown): Promise<CallFailure> {
  const { ErrorCode, McpError } = await import('@modelcontextprotocol/sdk/types.js')
  const message = cleanLine(error instanceof Error ? error.message : String(error), 2_000)
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) {
      const hint = 'The call may have had an effect. Look before you repeat it.'
      const result = toolError('timeout', `The server "${server}" did not answer in time.`, hint)
      return { result, suspicious: true, retry: false }
    }
    if (error.code === ErrorCode.ConnectionClosed) {
      const hint = 'The call may have had an effect. The server is being started again.'
      return {
        result: toolError('unavailable', `${message} (server "${server}")`, hint),
        suspicious: false,
        retry: false,
      }
    }
    const type = error.code === ErrorCode.InvalidParams ? 'invalid_argument' : 'failed'
    return {
      result: toolError(type, message, `This is what the server "${server}" says.`),
      suspicious: false,
      retry: false,
    }
  }
  const hint = `An administrator can see why with /mcp and start it again with /mcp restart ${server}.`
  return {
    result: toolError('unavailable', `The server "${server}" cannot be reached: ${message}`, hint),
    suspicious: !isAppError(error, 'mcp.not_connected'),
    retry: await isForgotten(error),
  }
}

/** The server has forgotten the session, after a restart of its own: it refused before it did anything. */
async function isForgotten(error: unknown): Promise<boolean> {
  const { StreamableHTTPError } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  return error instanceof StreamableHTTPError && (error.code === 404 || error.code === 400)
}
