/**
 * WeCom: an AI bot by long connection or URL callback, a self-built app, and group robots, behind one
 * adapter. This file only puts the parts together and chooses the way out for an address. It knows the
 * platform; it refuses to know sessions, agents, and who may decide what.
 */
import type { Adapter, AdapterDeps, AdapterStatus } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { ApprovalsClient } from '../../src/protocol/oa-approval.ts'
import { APP_CHAT } from './app-inbound.ts'
import type { AppRoute } from './app-route.ts'
import { createApprovalsClient } from './approvals/client.ts'
import { capabilitiesOf } from './capabilities.ts'
import { isCallbackBot, type WecomConfig } from './config.ts'
import { diagnoseWecom } from './diagnosis.ts'
import { downloadMedia } from './media.ts'
import { createHandlers, createParts } from './parts.ts'
import { createRobotRoute, ROBOT_CHAT } from './robot-route.ts'
import type { Route } from './route.ts'
import { windowClosed } from './socket-route.ts'
import { createWebhook, WEBHOOK_BYTES } from './webhook.ts'

export type WecomAdapter = Adapter & { readonly approvals?: ApprovalsClient }

/** Builds the adapter of one bot. Throws `wecom.config` for a half-configured callback. */
export function createWecomAdapter(config: WecomConfig, deps: AdapterDeps): WecomAdapter {
  checkConfig(config)
  const parts = createParts(config, deps)
  const { api, appRoute, bot, directory, hosts } = parts
  const handlers = createHandlers(config, deps, parts)
  const robots = createRobotRoute(config, deps)
  const idle: AdapterStatus = { state: 'connected', detail: '', since: deps.clock.now() }
  const status = (): AdapterStatus => bot?.transport?.status() ?? idle

  const routeOf = (to: Address): Route => {
    if (to.chatId.startsWith(ROBOT_CHAT)) return robots
    const app = to.chatId.startsWith(APP_CHAT) || bot === undefined
    const route = app ? appRoute : bot.route
    if (route) return route
    throw windowClosed(`nothing is configured that reaches ${to.chatType} chats`)
  }

  const leavesBySocket = (to: Address): boolean =>
    bot?.transport !== undefined && !to.chatId.startsWith(ROBOT_CHAT) && !to.chatId.startsWith(APP_CHAT)

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
          ...(isCallbackBot(config.aibot) && { bot: config.aibot }),
        },
      ),
    ...(directory && { nameOf: (user, signal) => directory.name(user.replace(/^wecom:/, ''), signal) }),
    // WeCom has no reactions and no typing sign for bots.
    indicate: async () => async () => undefined,
    ...(Object.keys(handlers).length > 0 && {
      webhook: createWebhook(handlers, deps.logger),
      webhookBytes: WEBHOOK_BYTES,
    }),
    status,
    sendsHere: (to) => !leavesBySocket(to) || status().state !== 'standby',
    diagnose: (signal) => diagnoseWecom({ config, clock: deps.clock, text: deps.text, status, api }, signal),
    stop: () => parts.close(),
    ...(api &&
      directory && {
        approvals: createApprovalsClient({ ...deps, api, directory }),
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

/** A callback without its key could not be verified; better not to start (W1). */
function checkConfig(config: WecomConfig): void {
  const { app } = config
  if (app && (app.token === undefined) !== (app.encodingAesKey === undefined)) {
    throw new AppError('wecom.config', 'app.token and app.encodingAesKey must be given together', {
      hint: 'App page → receive messages → API receive: copy both.',
    })
  }
}
