/** Our side of the protocol for one client: lists, calls, results that are fetched again. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { CallToolResult, ProgressToken } from '@modelcontextprotocol/sdk/types.js'
import type { ToolResult } from '../../protocol/tool.ts'
import type { CallService } from './call-service.ts'
import type { CallState } from './call-state.ts'
import type { Caller } from './callers.ts'
import { promptsFor, promptWords } from './prompts.ts'

const INSTRUCTIONS =
  'Tools of Yizhan, on the machine and in the chat that the operator chose. Look before you change anything. ' +
  'Some calls wait for a person in that chat: ask for progress, or take the id that comes back and read the resource ' +
  'yizhan://calls/<id> later. Repeating a call that waits joins it. After a timeout look first; do not repeat blindly.'

const CALLS = 'yizhan://calls/'

export interface ProtocolDeps {
  readonly desk: CallService
  readonly version: string
}

/** One server object per client, never shared (M10). */
export async function createProtocolServer(caller: Caller, deps: ProtocolDeps): Promise<Server> {
  const [{ Server }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const server = new Server(
    { name: 'yizhan', version: deps.version },
    { capabilities: { tools: {}, logging: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: deps.desk.specs(caller).map(({ name, title, description, parameters, readOnly }) => ({
      name,
      title,
      description,
      inputSchema: { ...parameters, type: 'object' as const },
      annotations: { title, readOnlyHint: readOnly, destructiveHint: !readOnly, openWorldHint: !readOnly },
    })),
  }))
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    const token = params._meta?.progressToken
    const onProgress = token === undefined ? undefined : progressOf(token, extra.sendNotification)
    const options = { signal: extra.signal, onProgress }
    const state = await deps.desk.call(caller, params.name, params.arguments ?? {}, options)
    if (state.state === 'refused') throw new types.McpError(types.ErrorCode.InvalidParams, state.message)
    return answerOf(state)
  })
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: promptsFor(toolNames(caller, deps), deps.desk.text(caller)).map((prompt) => ({
      ...prompt,
      arguments: [...prompt.arguments],
    })),
  }))
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params: { name, arguments: given = {} } }) => {
    const words = promptWords(toolNames(caller, deps), name, given, deps.desk.text(caller))
    if (words !== undefined)
      return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }] }
    const message = 'There is no such prompt, or one of its arguments is missing or too long.'
    throw new types.McpError(types.ErrorCode.InvalidParams, message)
  })
  server.setRequestHandler(types.ListResourcesRequestSchema, async () => ({
    resources: (await deps.desk.recent(caller)).map(({ id, tool, state }) => ({
      uri: `${CALLS}${id}`,
      name: id,
      title: `${tool} (${state})`,
      mimeType: 'application/json',
    })),
  }))
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: `${CALLS}{id}`,
        name: 'call',
        title: 'State or result of a call',
        mimeType: 'application/json',
      },
    ],
  }))
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const id = uri.startsWith(CALLS) && uri.length < 200 ? uri.slice(CALLS.length) : ''
    const state = id === '' ? undefined : await deps.desk.look(caller, id)
    if (!state) throw new types.McpError(types.ErrorCode.InvalidParams, 'There is no such resource.')
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(state) }] }
  })
  return server
}

function toolNames(caller: Caller, { desk }: ProtocolDeps): ReadonlySet<string> {
  return new Set(desk.specs(caller).map(({ name }) => name))
}

type Notify = (notification: {
  method: 'notifications/progress'
  params: { progressToken: ProgressToken; progress: number; message: string }
}) => Promise<void>

function progressOf(progressToken: ProgressToken, send: Notify): (message: string) => void {
  let progress = 0
  return (message) => {
    progress += 1
    // A client that is gone hears nothing; the call goes on.
    send({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {})
  }
}

function answerOf(state: Exclude<CallState, { state: 'refused' }>): CallToolResult {
  if (state.state === 'ended') return resultOf(state.result)
  const body = { state: 'waiting', id: state.id, resource: `${CALLS}${state.id}`, note: state.note }
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body }
}

/** A tool that failed is a result that says why, what for, and what to try next. */
function resultOf(result: ToolResult): CallToolResult {
  if (!result.ok) {
    return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error: result.error }) }] }
  }
  const { text, data, images = [] } = result
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
  return {
    content: [
      { type: 'text', text },
      ...images.map(({ mime, base64 }) => ({ type: 'image' as const, mimeType: mime, data: base64 })),
    ],
    ...(isObject ? { structuredContent: { ...data } } : {}),
  }
}
