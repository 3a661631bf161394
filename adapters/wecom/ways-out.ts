/** Which way out reaches a chat: its group robot, the app, or the AI bot, and the app where the bot may not write. */
import type { AdapterDeps, SendOptions } from '../../src/protocol/adapter.ts'
import type { Address } from '../../src/protocol/address.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../../src/protocol/outbound.ts'
import { APP_CHAT } from './app-inbound.ts'
import { ROBOT_CHAT } from './robot-route.ts'
import type { Route } from './route.ts'
import { windowClosed } from './socket-route.ts'

interface Ways {
  readonly robots: Route
  readonly app: Route | undefined
  readonly bot: Route | undefined
}

export interface WaysOut extends Route {
  /** True for a chat that only the AI bot reaches. */
  isOfBot(to: Address): boolean
}

/** Errors that say that this person or chat cannot be written to by the bot, however often one tries. */
const UNREACHABLE = new Set([
  'wecom.refused',
  'wecom.chat_gone',
  'wecom.not_followed',
  'wecom.reply_window_closed',
  'wecom.files_need_socket',
])

export function createWaysOut(ways: Ways, { logger }: Pick<AdapterDeps, 'logger'>): WaysOut {
  return {
    isOfBot: (to) => !to.chatId.startsWith(ROBOT_CHAT) && !to.chatId.startsWith(APP_CHAT),
    send: async (to, message, options): Promise<SentMessage> => {
      const route = routeOf(ways, to)
      try {
        return await route.send(to, message, options)
      } catch (error) {
        const app = fallback(ways, error, to, route, message.type)
        if (app === undefined) throw error
        logger.info({ error: String(error) }, 'wecom: the bot cannot write to this person; using the app')
        return app.send(to, message, options)
      }
    },
    update: (sent, to, message: OutboundMessage, options: SendOptions) => {
      const route = sent.handle.kind === 'app' && ways.app ? ways.app : routeOf(ways, to)
      return route.update(sent, to, message, options)
    },
  }
}

function routeOf({ robots, app, bot }: Ways, to: Address): Route {
  if (to.chatId.startsWith(ROBOT_CHAT)) return robots
  const route = to.chatId.startsWith(APP_CHAT) || bot === undefined ? app : bot
  if (route) return route
  throw windowClosed(`nothing is configured that reaches ${to.chatType} chats`)
}

/** A person who never spoke to the bot can still be reached by the app. */
function fallback(
  { app, bot }: Ways,
  error: unknown,
  to: Address,
  route: Route,
  type: OutboundMessage['type'],
): Route | undefined {
  const refused = error instanceof AppError && !error.retryable && UNREACHABLE.has(error.code)
  const plain = type === 'markdown' || type === 'text' || type === 'file'
  return refused && plain && to.chatType === 'direct' && route === bot ? app : undefined
}
