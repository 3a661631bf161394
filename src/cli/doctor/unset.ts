/** Variables that nobody has set: all of them are told at once, and only what needs them is not asked. */
import { isAt, type LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Translate } from '../../protocol/ports.ts'

/** The configuration without the models, bots and servers whose secrets are missing, and a finding for each. */
export function leaveOutUnset(
  { config, unset }: LoadedConfig,
  text: Translate,
): { config: Config; left: Diagnosis[] } {
  const lacks = (...place: PropertyKey[]): boolean => unset.some(({ path }) => isAt(path, place))
  const profiles = Object.entries(config.models.profiles)
  const bots = config.bots.filter((_bot, index) => !lacks('bots', index))
  const left = [
    ...profiles.filter(([name]) => lacks('models', 'profiles', name)).map(([name]) => `model:${name}`),
    ...config.bots.filter((bot) => !bots.includes(bot)).map((bot) => `${bot.id}:settings`),
    ...(['database', 'redis'] as const).filter((key) => lacks(key)),
  ]
  const { database, redis, ...rest } = config
  return {
    config: {
      ...rest,
      ...(database === undefined || lacks('database') ? {} : { database }),
      ...(redis === undefined || lacks('redis') ? {} : { redis }),
      models: {
        ...config.models,
        profiles: Object.fromEntries(profiles.filter(([name]) => !lacks('models', 'profiles', name))),
      },
      bots,
    },
    left: left.map((check) => ({
      check,
      ok: true,
      unseen: true,
      detail: text('doctor.not_asked'),
    })),
  }
}
