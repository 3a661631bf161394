/**
 * WeCom: an AI bot by long connection or URL callback, a self-built app, and group robots, behind one
 * adapter. This file only puts the parts together and chooses the way out for an address. It knows the
 * platform; it refuses to know sessions, agents, and who may decide what.
 */
import type { Adapter, AdapterDeps, AdapterStatus, Receive, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { ApprovalsClient } from '../../src/protocol/oa-approval.ts'
import { createAibotCallback } from './aibot-callback.ts'
import { createAppApi } from './app-api.ts'
import { createAppCallback } from './app-callback.ts'
import { APP_CHAT } from './app-inbound.ts'
import { type AppRoute, createAppRoute } from './app-route.ts'
import { createApprovalsClient } from './approvals/client.ts'
import { capabilitiesOf } from './capabilities.ts'
import { isCallbackBot, isSocketBot, type WecomConfig } from './config.ts'
import { diagnoseWecom } from './diagnosis.ts'
import { createDirectory } from './directory.ts'
import { createHostRule } from './host.ts'
import { createIntake } from './intake.ts'
import { downloadMedia } from './media.ts'
import { createNameMemory } from './mention.ts'
import { createPollRoute } from './poll-route.ts'
import { createPollBoard } from './polling.ts'
import { createRobotRoute, ROBOT_CHAT } from './robot-route.ts'
import type { Route } from './route.ts'
import { createSocketTransport } from './socket.ts'
import { createSocketIntake } from './socket-intake.ts'
import { createSocketRoute, STREAM_MARGIN_MS, windowClosed } from './socket-route.ts'
import { createUserIds } from './user-ids.ts'
import { type CallbackHandler, createWebhook } from './webhook.ts'

export type WecomAdapter = Adapter & { readonly approvals?: ApprovalsClient }

/** Builds the adapter of one bot. Throws `wecom.config` for a half-configured callback. */
export function createWecomAdapter(config: WecomConfig, deps: AdapterDeps): WecomAdapter {
  checkConfig(config)
  const parts = createParts(config, deps)
  const { api, appRoute, bot, hosts } = parts
  const handlers = createHandlers(config, deps, parts)
  const robots = createRobotRoute(config, deps)
  const directory = api && createDirectory(api, deps.clock)
  const idle: AdapterStatus = { state: 'connected', detail: '', since: deps.clock.now() }
  const status = (): AdapterStatus => bot?.transport?.status() ?? idle

  const routeOf = (to: Address): Route => {
    if (to.chatId.startsWith(ROBOT_CHAT)) return robots
    const app = to.chatId.startsWith(APP_CHAT) || bot === undefined
    const route = app ? appRoute : bot.route
    if (route) return route
    throw windowClosed(`nothing is configured that reaches ${to.chatType} chats`)
  }

  const send = async (
    ...[to, message, options]: Parameters<Adapter['send']>
  ): ReturnType<Adapter['send']> => {
    const route = routeOf(to)
    try {
      return await route.send(to, message, options)
    } catch (error) {
      const app = fallback(error, to, route, message.type)
      if (app === undefined) throw error
      deps.logger.info({ error: String(error) }, 'wecom: the bot cannot write to this person; using the app')
      return app.send(to, message, options)
    }
  }

  /** A person who never spoke to the bot can still be reached by the app. */
  const fallback = (error: unknown, to: Address, route: Route, type: string): AppRoute | undefined => {
    const refused = error instanceof AppError && !error.retryable && UNREACHABLE.has(error.code)
    const plain = type === 'markdown' || type === 'text' || type === 'file'
    return refused && plain && to.chatType === 'direct' && route === bot?.route ? appRoute : undefined
  }

  return {
    botId: config.id,
    platform: 'wecom',
    capabilities: capabilitiesOf(config),
    start: async (receive) => {
      parts.open(receive)
      await bot?.transport?.start()
    },
    send,
    update: (sent, to, message, options) => {
      const route = sent.handle.kind === 'app' && appRoute ? appRoute : routeOf(to)
      return route.update(sent, to, message, options)
    },
    hydrate: async (event, signal) => {
      // Quotes come along with the message; only the sender's name is missing.
      const id = event.sender.isExternal ? '' : event.sender.user.replace(/^wecom:/, '')
      const name = await directory?.name(id, signal)
      return {
        context: [],
        attachments: [],
        notes: [],
        names: name === undefined ? {} : { [event.sender.user]: name },
      }
    },
    download: (attachment, path, maxBytes, signal) =>
      downloadMedia(
        attachment,
        { path, maxBytes, signal },
        {
          clock: deps.clock,
          hosts,
          ...(api && { app: api }),
          ...(isCallbackBot(config.aibot) && { encodingAesKey: config.aibot.encodingAesKey }),
        },
      ),
    // WeCom has no reactions and no typing sign for bots.
    indicate: async () => async () => undefined,
    ...(Object.keys(handlers).length > 0 && { webhook: createWebhook(handlers, deps.logger) }),
    status,
    diagnose: (signal) => diagnoseWecom({ config, clock: deps.clock, status, api }, signal),
    stop: () => parts.close(),
    ...(api &&
      directory && {
        approvals: createApprovalsClient({ api, directory, scheduler: deps.scheduler, text: deps.text }),
      }),
  }
}

const UNREACHABLE = new Set([
  'wecom.refused',
  'wecom.chat_gone',
  'wecom.not_followed',
  'wecom.reply_window_closed',
  'wecom.files_need_socket',
])
const INTERNAL: SendOptions = { key: 'internal', priority: 'high' }

interface Parts {
  readonly hosts: ReturnType<typeof createHostRule>
  readonly users: ReturnType<typeof createUserIds>
  readonly intake: ReturnType<typeof createIntake>
  readonly board: ReturnType<typeof createPollBoard>
  readonly api: ReturnType<typeof createAppApi> | undefined
  readonly appRoute: AppRoute | undefined
  readonly bot: { route: Route; transport?: ReturnType<typeof createSocketTransport> } | undefined
  /** The core's receive, once started; before that, callbacks are refused so that WeCom repeats them. */
  readonly receive: Receive
  readonly track: (work: Promise<void>) => void
  open(receive: Receive): void
  close(): Promise<void>
}

function createParts(config: WecomConfig, deps: AdapterDeps): Parts {
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
  const appRoute = api && createAppRoute({ ...deps, botId: config.id, api, imageBytes: config.imageBytes })
  const socket = isSocketBot(config.aibot) ? createSocketBot(config, deps, intake, users) : undefined
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
  intake: Parts['intake'],
  users: Parts['users'],
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
  })
  return { transport, route, intake: socketIntake }
}

function createHandlers(
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
      token: app.token,
      encodingAesKey: app.encodingAesKey,
      repaint: parts.appRoute.repaint,
      onUser: parts.users.learn,
    })
  }
  return handlers
}

/** A callback without its key could not be verified; better not to start (W1). */
function checkConfig(config: WecomConfig): void {
  const { app } = config
  if (app && (app.token === undefined) !== (app.encodingAesKey === undefined)) {
    throw new AppError('wecom.config', 'app.token and app.encodingAesKey must be given together', {
      hint: 'App page → receive messages → API receive: copy both.',
    })
  }
}
