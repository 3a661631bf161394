/** The configured models, made once each. */
import type { Config, ModelProfile } from '../config/schema.ts'
import { createTranslate } from '../locale/index.ts'
import type { Model } from '../protocol/model.ts'
import type { Clock, Locale, Random } from '../protocol/ports.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import { createModel } from './index.ts'

/** Follows changes of the profiles while the service runs. */
export interface Models {
  readonly defaultName: string
  readonly names: readonly string[]
  /** The model of that name for a bot's language; the default when the configuration no longer has it. */
  get(name: string, botId: string): Model
}

/** @param current the configured models with all changes made since; the same object until one is made */
export function createModels(
  current: () => Config['models'],
  deps: {
    clock: Clock
    random: Random
    zone: ZoneTime
    localeOf: (botId: string) => Locale
    demoPieceMs?: number
  },
): Models {
  const made = new Map<string, { readonly profile: ModelProfile; readonly model: Model }>()
  const pace = deps.demoPieceMs === undefined ? {} : { demoPieceMs: deps.demoPieceMs }
  return {
    get defaultName() {
      return current().default
    },
    get names() {
      return Object.keys(current().profiles)
    },
    get: (wanted, botId) => {
      const config = current()
      const { name, profile } = findProfile(config, wanted)
      const locale = deps.localeOf(botId)
      const key = `${wanted}\n${locale}`
      const known = made.get(key)
      if (known && sameProfile(known.profile, profile)) return known.model
      const model = createModel(name, profile, {
        clock: deps.clock,
        random: deps.random,
        zone: deps.zone,
        text: createTranslate(locale),
        ...pace,
      })
      if (made.size >= MOST_MADE) made.clear()
      made.set(key, { profile, model })
      return model
    },
  }
}

/** Models are cheap to make again; names of single models come from people. */
const MOST_MADE = 200
const NO_PROFILE: ModelProfile = { protocol: 'demo' }

/** `profile`, or `profile#model` for another model of that profile; the default for a name that is gone. */
function findProfile(
  { default: fallback, profiles }: Config['models'],
  wanted: string,
): { readonly name: string; readonly profile: ModelProfile } {
  const exact = profiles[wanted]
  if (exact) return { name: wanted, profile: exact }
  const at = wanted.indexOf('#')
  const base = at === -1 ? undefined : profiles[wanted.slice(0, at)]
  if (base && base.protocol !== 'demo')
    return { name: wanted, profile: { ...base, model: wanted.slice(at + 1) } }
  return { name: fallback, profile: profiles[fallback] ?? NO_PROFILE }
}

function sameProfile(a: ModelProfile, b: ModelProfile): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
