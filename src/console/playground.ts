/**
 * The playground's server side: a small JSON API and an event stream over simulated platforms, and
 * the built page. This room knows what a page needs; it refuses to know any platform, the agent and
 * the database. It is mounted only when the app runs without a real tenant.
 */
import express, { type Request, type Response, Router } from 'express'
import { chatKey } from '../protocol/address.ts'
import { AppError } from '../protocol/errors.ts'
import type {
  PlaygroundAction,
  PlaygroundBackend,
  PlaygroundMcp,
  PlaygroundRun,
} from '../protocol/playground.ts'
import type { Clock, Locale, Logger } from '../protocol/ports.ts'
import { servePages } from './assets.ts'
import { createEventStream } from './events.ts'
import { sendFile } from './files.ts'
import {
  actionBody,
  type McpAnswer,
  type MessagesAnswer,
  messagesQuery,
  type RunsAnswer,
  type StateAnswer,
  type TrafficAnswer,
  uploadQuery,
} from './playground-api.ts'

export interface PlaygroundDeps {
  /** One per simulated platform, in the order of the chat list. */
  readonly backends: readonly PlaygroundBackend[]
  /** Recent runs of a chat (key of `protocol/address`), newest first. */
  readonly runs: (chatKey: string) => Promise<readonly PlaygroundRun[]>
  /** MCP servers as they are now. */
  readonly mcp: PlaygroundMcp
  readonly about: StateAnswer['about']
  readonly locale: Locale
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when the server closes. */
  readonly closing: AbortSignal
  /** Folder of the built page; default: where `npm run build` puts it. */
  readonly pages?: string
  /** What stands in place of the page while it is not built. */
  readonly notBuilt: string
}

/** What the page loads at once; older messages and traffic are left out and counted. */
const MESSAGES_SHOWN = 200
const TRAFFIC_SHOWN = 200
/** The largest file that a person may upload; Feishu's own limit for bots. */
const UPLOAD_BYTES = 30 * 1024 * 1024

/** The router of `/playground`. */
export function createPlayground(deps: PlaygroundDeps): Router {
  const events = createEventStream(deps)
  const api = Router()
  api.get('/state', (_request, response) => void response.json(stateOf(deps)))
  api.get('/events', events.open)
  api.get('/mcp', (_request, response) => {
    const answer: McpAnswer = { servers: deps.mcp.list(), problems: deps.mcp.problems() }
    response.json(answer)
  })
  api.get('/messages', (request, response) => {
    const { platform, chat } = messagesQuery.parse(request.query)
    const all = backendOf(deps, platform).messages(chat)
    const messages = all.slice(-MESSAGES_SHOWN)
    const answer: MessagesAnswer = { seq: events.seq(), messages, omitted: all.length - messages.length }
    response.json(answer)
  })
  api.get('/runs', async (request, response) => {
    const { platform, chat } = messagesQuery.parse(request.query)
    const found = backendOf(deps, platform)
      .chats()
      .find(({ id }) => id === chat)
    const key = found && chatKey({ botId: found.botId, chatId: found.id, chatType: found.kind })
    const answer: RunsAnswer = { runs: key === undefined ? [] : await deps.runs(key) }
    response.json(answer)
  })
  api.get(
    '/traffic',
    (request, response) => void response.json(trafficOf(deps, String(request.query.platform))),
  )
  api.get('/traffic/:platform/:id', (request, response) => {
    const entry = backendOf(deps, request.params.platform)
      .traffic()
      .find(({ id }) => id === request.params.id)
    response
      .status(entry ? 200 : 404)
      .json(entry ?? { error: { code: 'playground.gone', message: 'not kept' } })
  })
  api.get('/files/:platform/:id', (request, response) => {
    sendFile(response, backendOf(deps, request.params.platform).file(request.params.id))
  })
  api.post('/actions', express.json({ limit: '256kb' }), (request, response) => act(deps, request, response))
  api.post(
    '/uploads',
    express.raw({ type: 'application/octet-stream', limit: UPLOAD_BYTES, inflate: false }),
    (request, response) => upload(deps, request, response),
  )
  const router = Router({ strict: true })
  router.use((request, response, next) => {
    // Without the slash the page's relative addresses would point beside it.
    if (request.originalUrl.split('?')[0] === request.baseUrl)
      return response.redirect(302, `${request.baseUrl}/`)
    next()
  })
  router.use('/api', api)
  router.use(servePages(deps.notBuilt, deps.pages))
  return router
}

function backendOf(deps: PlaygroundDeps, platform: string): PlaygroundBackend {
  const backend = deps.backends.find((one) => one.platform === platform)
  if (backend) return backend
  throw new AppError('playground.unknown_platform', `there is no simulated platform "${platform}"`, {
    hint: 'reload the page',
  })
}

function stateOf(deps: PlaygroundDeps): StateAnswer {
  return {
    about: deps.about,
    locale: deps.locale,
    uploadBytes: UPLOAD_BYTES,
    chats: deps.backends.flatMap((backend) =>
      backend.chats().map((chat) => ({ ...chat, platform: backend.platform })),
    ),
  }
}

function trafficOf(deps: PlaygroundDeps, platform: string): TrafficAnswer {
  const all = backendOf(deps, platform).traffic()
  const shown = all.slice(-TRAFFIC_SHOWN)
  const entries = shown.map(({ detail: _detail, ...summary }) => summary)
  return { entries, omitted: all.length - entries.length }
}

async function act(deps: PlaygroundDeps, request: Request, response: Response): Promise<void> {
  const { platform, ...rest } = actionBody.parse(request.body)
  const action: PlaygroundAction = rest.action
  response.json(await backendOf(deps, platform).act(action))
}

async function upload(deps: PlaygroundDeps, request: Request, response: Response): Promise<void> {
  const { platform, chat, person, name } = uploadQuery.parse(request.query)
  const body: unknown = request.body
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new AppError('playground.empty_file', 'the file is empty', { hint: 'choose a file with content' })
  }
  const action: PlaygroundAction = { type: 'upload', chatId: chat, personId: person, name, bytes: body }
  response.json(await backendOf(deps, platform).act(action))
}
