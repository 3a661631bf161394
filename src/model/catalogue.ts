/** The configured models, made once each. */
import type { Config } from '../config/schema.ts'
import { createTranslate } from '../locale/index.ts'
import type { Model } from '../protocol/model.ts'
import type { Clock, Locale, Random } from '../protocol/ports.ts'
import { createModel } from './index.ts'

export interface Models {
  readonly defaultName: string
  readonly names: readonly string[]
  /** The model of that name for a bot's language; the default when the configuration no longer has it. */
  get(name: string, botId: string): Model
}

export function createModels(
  config: Config['models'],
  deps: { clock: Clock; random: Random; localeOf: (botId: string) => Locale; demoPieceMs?: number },
): Models {
  const made = new Map<string, Model>()
  const pace = deps.demoPieceMs === undefined ? {} : { demoPieceMs: deps.demoPieceMs }
  return {
    defaultName: config.default,
    names: Object.keys(config.profiles),
    get: (wanted, botId) => {
      const name = wanted in config.profiles ? wanted : config.default
      const locale = deps.localeOf(botId)
      const key = `${name}\n${locale}`
      const known = made.get(key)
      if (known) return known
      const profile = config.profiles[name] ?? { protocol: 'demo' as const }
      const model = createModel(name, profile, {
        clock: deps.clock,
        random: deps.random,
        text: createTranslate(locale),
        ...pace,
      })
      made.set(key, model)
      return model
    },
  }
}
