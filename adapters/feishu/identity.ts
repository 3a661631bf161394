import type { Logger } from '../../src/protocol/ports.ts'
import type { Api } from './api/client.ts'
import { type BotInfo, getBot } from './api/directory.ts'

/** Who the bot itself is. */
export interface Identity {
  /** Who the bot is, if it is known by now. */
  known(): BotInfo | undefined
  /** Asks Feishu unless it is known; concurrent callers share one question. */
  ensure(signal: AbortSignal): Promise<BotInfo>
}

/** Remembers the bot's own open_id, without which no mention can be told from another. */
export function createIdentity(api: Api, logger: Logger): Identity {
  let bot: BotInfo | undefined
  let asking: Promise<BotInfo> | undefined
  const ask = async (signal: AbortSignal): Promise<BotInfo> => {
    bot = await getBot(api, signal)
    logger.info({ botOpenId: bot.openId, name: bot.name }, 'feishu bot')
    return bot
  }
  return {
    known: () => bot,
    ensure: (signal) => {
      if (bot) return Promise.resolve(bot)
      asking ??= ask(signal).finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}
