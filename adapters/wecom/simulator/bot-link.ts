/** Brings callbacks to an AI bot by its transport and opens the handle that its answer will use. */
import { callbackHead, messageBody } from './bot-body.ts'
import type { StoredMessage } from './chats.ts'
import type { CorpBot } from './corp.ts'
import type { Handle } from './handles.ts'
import type { ResponseUrls } from './response-urls.ts'
import type { UrlBots } from './url-bots.ts'
import type { World } from './world.ts'
import type { Hub } from './ws-hub.ts'

export interface BotLink {
  message(bot: CorpBot, message: StoredMessage, userid: string): void
  enterChat(bot: CorpBot, chat: string, userid: string): void
  feedback(bot: CorpBot, chat: string, userid: string, feedback: object): void
  /** False when nobody is connected. `settle` is called with whether the card was updated. */
  click(bot: CorpBot, click: BotClick): boolean
}

export interface BotClick {
  message: StoredMessage
  userid: string
  /** The `template_card_event` object. */
  event: object
  taskId: string | undefined
  settle: (updated: boolean) => void
}

interface Deps {
  world: World
  hub: Hub
  urlBots: UrlBots
  responseUrls: ResponseUrls
}

export function createBotLink(deps: Deps): BotLink {
  const { world, hub, urlBots, responseUrls } = deps
  return {
    message: (bot, message, userid) => {
      const { chat } = message
      world.spoken.add(`${bot.botId}|${chat}`)
      const handle = world.handles.open({ botId: bot.botId, kind: 'message', chat, messageId: message.id })
      const body = {
        ...messageBody(world, bot, message, userid),
        response_url: responseUrls.make(bot.botId, chat, message.id),
      }
      if (bot.callback) {
        urlBots.message(bot, handle, body, userid)
        return
      }
      const close = world.journal.open({
        channel: 'ws-out',
        name: 'aibot_msg_callback',
        who: bot.botId,
        request: body,
      })
      if (!hub.push(bot.botId, 'aibot_msg_callback', handle.reqId, body)) close('not connected')
    },
    enterChat: (bot, chat, userid) => {
      const handle = world.handles.open({ botId: bot.botId, kind: 'enter', chat, messageId: undefined })
      event(deps, bot, handle, userid, 'enter_chat', {})
    },
    feedback: (bot, chat, userid, feedback) => {
      const handle = world.handles.open({ botId: bot.botId, kind: 'silent', chat, messageId: undefined })
      event(deps, bot, handle, userid, 'feedback_event', { feedback_event: feedback })
    },
    click: (bot, click) => {
      const { message, userid, taskId, settle } = click
      const handle = world.handles.open({
        botId: bot.botId,
        kind: 'click',
        chat: message.chat,
        messageId: message.id,
        click: { userid, taskId, settle },
      })
      const name = 'template_card_event'
      return event(deps, bot, handle, userid, name, { [name]: click.event })
    },
  }
}

/** Sends an event; false when the bot has a long connection and is not on it. */
function event(
  { world, hub, urlBots, responseUrls }: Deps,
  bot: CorpBot,
  handle: Handle,
  userid: string,
  name: string,
  detail: object,
): boolean {
  const body = {
    ...callbackHead(world, bot, handle.chat, userid),
    msgtype: 'event',
    event: { eventtype: name, ...detail },
    ...(name === 'template_card_event' && bot.callback
      ? { response_url: responseUrls.make(bot.botId, handle.chat, handle.messageId) }
      : {}),
  }
  if (bot.callback) {
    urlBots.event(bot, handle, body)
    return true
  }
  const entry = {
    channel: 'ws-out' as const,
    name: `aibot_event_callback:${name}`,
    who: bot.botId,
    request: body,
  }
  const close = world.journal.open(entry)
  const sent = hub.push(bot.botId, 'aibot_event_callback', handle.reqId, body)
  if (!sent) close('not connected')
  return sent
}
