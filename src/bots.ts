/** The configured bots by id: adapter, language, texts and webhooks. */
import type { FeishuBotConfig, WecomBotConfig } from './config/schema.ts'
import type { WebhookRoutes } from './http/webhook.ts'
import { createTranslate } from './locale/index.ts'
import type { Adapter, AdapterDeps } from './protocol/adapter.ts'
import { AppError } from './protocol/errors.ts'
import type { Locale, Translate } from './protocol/ports.ts'

/** One entry of `bots:` in the configuration. */
export type BotConfig = FeishuBotConfig | WecomBotConfig

/** The bots by their ids in the configuration. */
export interface Bots {
  readonly ids: readonly string[]
  adapter(botId: string): Adapter | undefined
  all(): readonly Adapter[]
  localeOf(botId: string): Locale
  text(botId: string): Translate
  answersAll(botId: string): boolean
  /** Webhook requests to their bots; a bot without webhooks is not found. */
  readonly webhooks: WebhookRoutes
}

export interface BotsDeps extends Omit<AdapterDeps, 'locale' | 'text'> {
  readonly locale: Locale
  readonly create: (config: BotConfig, deps: AdapterDeps) => Adapter
}

/** Creates one adapter per configured bot. Nothing is connected yet. */
export function createBots(configs: readonly BotConfig[], deps: BotsDeps): Bots {
  const words: Record<Locale, Translate> = { 'zh-CN': createTranslate('zh-CN'), en: createTranslate('en') }
  const byId = new Map(configs.map((config) => [config.id, config]))
  const localeOf = (botId: string): Locale => byId.get(botId)?.locale ?? deps.locale
  const adapters = new Map(
    configs.map((config) => {
      const locale = localeOf(config.id)
      return [config.id, deps.create(config, { ...deps, locale, text: words[locale] })]
    }),
  )
  return {
    ids: [...byId.keys()],
    adapter: (botId) => adapters.get(botId),
    all: () => [...adapters.values()],
    localeOf,
    text: (botId) => words[localeOf(botId)],
    answersAll: (botId) => {
      const config = byId.get(botId)
      return config !== undefined && 'answerAll' in config && config.answerAll
    },
    webhooks: {
      limit: (botId) => {
        const adapter = adapters.get(botId)
        return adapter?.webhook && adapter.webhookBytes
      },
      handle: (botId, request) => {
        const webhook = adapters.get(botId)?.webhook
        return (
          webhook?.(request) ??
          Promise.reject(new AppError('http.no_webhook', `bot ${botId} takes no webhooks`))
        )
      },
    },
  }
}
