/** What one bot is made of, put together from its configuration. */
import type { AdapterDeps, Receive, SendOptions } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import { createAibotCallback } from './aibot-callback.ts'
import { createAppApi } from './app-api.ts'
import { createAppCallback } from './app-callback.ts'
import { type AppRoute, createAppRoute } from './app-route.ts'
import { isCallbackBot, isSocketBot, type WecomConfig } from './config.ts'
import { createDirectory, type Directory } from './directory.ts'
import { createHostRule } from './host.ts'
import { createIntake } from './intake.ts'
import { createNameMemory } from './mention.ts'
import { createPollRoute } from './poll-route.ts'
import { createPollBoard } from './polling.ts'
import type { Route } from './route.ts'
import { createSocketTransport } from './socket.ts'
import { createSocketIntake } from './socket-intake.ts'
import { createSocketRoute, STREAM_MARGIN_MS } from './socket-route.ts'
import { createUserIds } from './user-ids.ts'
import type { CallbackHandler } from './webhook.ts'

const INTERNAL: SendOptions = { key: 'internal', priority: 'high' }

interface Parts {
  readonly hosts: ReturnType<typeof createHostRule>
  readonly users: ReturnType<typeof createUserIds>
  readonly intake: ReturnType<typeof createIntake>
  readonly board: ReturnType<typeof createPollBoard>
  readonly api: ReturnType<typeof createAppApi> | undefined
  readonly directory: Directory | undefined
  readonly appRoute: AppRoute | undefined
  readonly bot: { route: Route; transport?: ReturnType<typeof createSocketTransport> } | undefined
  /** The core's receive, once started; before that, callbacks are refused so that WeCom repeats them. */
  readonly receive: Receive
  readonly track: (work: Promise<void>) => void
  open(receive: Receive): void
  close(): Promise<void>
}

/** Builds everything that exists once per bot; nothing connects before `open` and a start. */
export function createParts(config: WecomConfig, deps: AdapterDeps): Parts {
  const users = createUserIds()
  const hosts = createHostRule(config)
  const intake = createIntake({
    botId: config.id,
    names: createNameMemory(config.name),
    clock: deps.clock,
    logger: deps.logger,
    onUser: users.learn,
  })
  const windowMs = config.streamLimitSeconds * 1_000 - STREAM_MARGIN_MS
  const board = createPollBoard(deps.clock, windowMs, deps.text('wecom.live.late'))
  const api = config.app && createAppApi(config.app, deps)
  const directory = api && createDirectory(api, deps.clock)
  const appRoute = api && createAppRoute({ ...deps, botId: config.id, api, imageBytes: config.imageBytes })
  const socket = isSocketBot(config.aibot)
    ? createSocketBot(config, deps, { intake, users, directory })
    : undefined
  const poll = isCallbackBot(config.aibot)
    ? { route: createPollRoute({ ...deps, config, board, hosts }) }
    : undefined
  const running = new Set<Promise<void>>()
  let core: Receive | undefined
  return {
    hosts,
    users,
    intake,
    board,
    api,
    directory,
    appRoute,
    bot: socket ?? poll,
    receive: async (event) => {
      if (core === undefined) throw new AppError('wecom.not_started', 'the adapter has not started yet')
      return core(event)
    },
    track: (work) => {
      running.add(work)
      void work.finally(() => running.delete(work))
    },
    open: (receive) => {
      core = receive
      socket?.intake.open(receive)
    },
    close: async () => {
      await socket?.intake.drain()
      await Promise.all(running)
      socket?.route.streams.stop()
      await socket?.transport.stop()
    },
  }
}

function createSocketBot(
  config: WecomConfig,
  deps: AdapterDeps,
  { intake, users, directory }: Pick<Parts, 'intake' | 'users' | 'directory'>,
) {
  const aibot = config.aibot
  if (!isSocketBot(aibot)) throw new AppError('wecom.config', 'not a long connection')
  const transport = createSocketTransport(aibot, {
    ...deps,
    onCallback: (frame) => socketIntake.accept(frame),
  })
  const route = createSocketRoute({ ...deps, config, transport, userId: users.written })
  const socketIntake = createSocketIntake({
    intake,
    clock: deps.clock,
    logger: deps.logger,
    text: deps.text,
    request: transport.request,
    say: (to, markdown) => route.send(to, { type: 'markdown', markdown }, INTERNAL),
    nameOf: directory?.name,
  })
  return { transport, route, intake: socketIntake }
}

/** The HTTP callbacks that are configured, by path. */
export function createHandlers(
  config: WecomConfig,
  deps: AdapterDeps,
  parts: Parts,
): Record<string, CallbackHandler> {
  const { aibot, app } = config
  const handlers: Record<string, CallbackHandler> = {}
  if (isCallbackBot(aibot)) {
    handlers.aibot = createAibotCallback({ ...deps, ...parts, bot: aibot })
  }
  if (app?.token !== undefined && app.encodingAesKey !== undefined && parts.appRoute) {
    handlers.app = createAppCallback({
      ...deps,
      ...parts,
      botId: config.id,
      corpId: app.corpId,
      agentId: app.agentId,
      secrets: { token: app.token, encodingAesKey: app.encodingAesKey, previous: app.previous },
      repaint: parts.appRoute.repaint,
      onUser: parts.users.learn,
    })
  }
  return handlers
}
