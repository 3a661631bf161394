/** One connection to one server: hello, list, call, ping, good-bye. It does not know why it is opened or what is agreed. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { AppError } from '../../protocol/errors.ts'
import { type Definition, definitionSchema } from './definition.ts'
import { CALL_MS, CALL_TOTAL_MS, CONNECT_MS, MOST_PAGES, MOST_TOOLS, PING_MS } from './limits.ts'

export interface Connection {
  /** All pages; entries that are no definition are left out. Rejects when there is no end to them. */
  list(): Promise<readonly Definition[]>
  /** Rejects with the SDK's errors, or with the signal's reason; the server is told of both ends. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
  /** Whether it still answers. */
  answers(): Promise<boolean>
  close(): Promise<void>
}

export interface ConnectionEvents {
  readonly onClosed: () => void
  readonly onToolsChanged: () => void
}

export const CLIENT_INFO = { name: 'yizhan', version: '1' }

/** Says hello within 15 s or rejects. The transport is closed when it does. */
export async function openConnection(transport: Transport, events: ConnectionEvents): Promise<Connection> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client(CLIENT_INFO, { capabilities: {} })
  await refuseRequests(client)
  // Errors of a transport are not the end of it; `onclose` is.
  client.onerror = () => {}
  try {
    await client.connect(transport, { timeout: CONNECT_MS, maxTotalTimeout: CONNECT_MS })
  } catch (error) {
    await client.close()
    throw error
  }
  // A hello that fails closes the client as well; only its own error says why.
  client.onclose = events.onClosed
  await watchTools(client, events.onToolsChanged)
  if (!client.transport) throw new AppError('mcp.not_connected', 'the connection ended right after the hello')
  return {
    list: () => listTools(client),
    call: (tool, args, signal) => callTool(client, tool, args, signal),
    answers: () =>
      client.ping({ timeout: PING_MS }).then(
        () => true,
        () => false,
      ),
    close: async () => {
      client.onclose = () => {}
      await client.close()
    },
  }
}

/** A server may not ask our model, our people or our disk for anything (M12). */
async function refuseRequests(client: Client): Promise<void> {
  const { ErrorCode, McpError } = await import('@modelcontextprotocol/sdk/types.js')
  client.fallbackRequestHandler = async ({ method }) => {
    throw new McpError(
      ErrorCode.MethodNotFound,
      `This client answers no ${method}; go on without it, please.`,
    )
  }
}

async function watchTools(client: Client, onChanged: () => void): Promise<void> {
  const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js')
  client.setNotificationHandler(ToolListChangedNotificationSchema, onChanged)
}

async function listTools(client: Client): Promise<readonly Definition[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const { PaginatedResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const { z } = await import('zod')
  const page = PaginatedResultSchema.extend({ tools: z.array(z.unknown()) })
  const found = new Map<string, Definition>()
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, page, { timeout: CONNECT_MS })
    for (const tool of answer.tools) {
      const parsed = definitionSchema.safeParse(tool)
      if (parsed.success && found.size < MOST_TOOLS) found.set(parsed.data.name, parsed.data)
    }
    if (answer.nextCursor === undefined || answer.nextCursor === cursor) return [...found.values()]
    cursor = answer.nextCursor
  }
  throw new AppError('mcp.endless_list', `its list of tools has more than ${MOST_PAGES} pages`)
}

async function callTool(
  client: Client,
  tool: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  return client.request(
    { method: 'tools/call', params: { name: tool, arguments: args } },
    CallToolResultSchema,
    {
      signal,
      timeout: CALL_MS,
      maxTotalTimeout: CALL_TOTAL_MS,
      resetTimeoutOnProgress: true,
      // Without a listener no progress is asked for, and none would begin the time limit anew.
      onprogress: () => {},
    },
  )
}
