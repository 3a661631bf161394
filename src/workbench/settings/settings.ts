/**
 * Settings that stand above the configuration: the language, and changes of model and network profiles.
 * Kept in the database, read from memory, and used by the rooms that ask here instead of the file. It
 * holds no credential and shows none; who may change something is judged by the caller.
 */
import type { Config } from '../../config/schema.ts'
import type { Audit } from '../../observability/audit.ts'
import type { UserKey } from '../../protocol/address.ts'
import type { Clock, Locale } from '../../protocol/ports.ts'
import type { Store } from '../../store/store.ts'
import { missing, refusal } from '../errors.ts'
import { environmentLabel, environmentOf, type NetworkChange } from './network.ts'
import { createOverrides, type Override, type Overrides, PREFERENCES } from './overrides.ts'
import {
  checkModelChange,
  isEnabled,
  type ModelChange,
  type ModelOverride,
  withOverride,
} from './profiles.ts'
import { modelView, networkView, type SettingsView } from './view.ts'

/** Answers come from memory; changes are written first and refused with a reason. */
export interface Settings {
  /** The models with all changes; the same object until something changes. */
  models(): Config['models']
  /** Name that people see. */
  labelOf(profileId: string): string
  /** Undefined: each bot's own. */
  language(): Locale | undefined
  /** Variables for commands; empty where the sandbox has no network. */
  networkEnvironment(): Readonly<Record<string, string>>
  /** One word for the sandbox's profile; empty without variables. */
  networkLabel(): string
  view(): SettingsView
  setLanguage(language: Locale | 'system', by: UserKey): Promise<SettingsView>
  changeModel(id: string, change: ModelChange, by: UserKey): Promise<SettingsView['modelProfiles'][number]>
  changeNetwork(
    id: string,
    change: NetworkChange,
    by: UserKey,
  ): Promise<SettingsView['networkProfiles'][number]>
  /** Reads what others changed; nothing holds while the group is switched off. */
  refresh(): Promise<void>
}

export interface SettingsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly audit: Audit
  readonly config: Pick<Config, 'models' | 'sandbox' | 'workbench'>
}

/** Shows the configuration alone until {@link Settings.refresh} has read the store. */
export function createSettings(deps: SettingsDeps): Settings {
  const { config } = deps
  let merged = config.models
  let env: Readonly<Record<string, string>> = {}
  const stored = createOverrides(deps, () => {
    merged = mergeModels(config.models, stored.model, stored.preferences().defaultModel)
    env = config.sandbox.network === 'host' ? environmentOf(stored.network(defaultNetwork())) : {}
  })
  const defaultNetwork = (): string => {
    const wanted = stored.preferences().defaultNetwork
    const known = config.workbench.networkProfiles
    return wanted !== undefined && known.includes(wanted) ? wanted : (known[0] ?? 'default')
  }
  const view = (): SettingsView => ({
    language: stored.preferences().language ?? 'system',
    modelProfiles: Object.entries(config.models.profiles).map(([id, profile]) =>
      modelView(id, withOverride(profile, stored.model(id)), stored.model(id), merged.default === id),
    ),
    networkProfiles: config.workbench.networkProfiles.map((id) =>
      networkView(id, stored.network(id), defaultNetwork() === id),
    ),
    sandboxNetwork: config.sandbox.network,
  })

  return {
    models: () => merged,
    labelOf: (id) => stored.model(id).name ?? id,
    language: () => stored.preferences().language,
    networkEnvironment: () => env,
    networkLabel: () => environmentLabel(defaultNetwork(), env),
    view,
    refresh: async () => {
      if (config.workbench.settings) await stored.refresh()
    },
    setLanguage: async (language, by) => {
      const { language: _, ...rest } = stored.preferences()
      const next = language === 'system' ? rest : { ...rest, language }
      await stored.save([{ kind: 'preferences', id: PREFERENCES, data: next }], by)
      return view()
    },
    changeModel: async (id, change, by) => {
      await stored.save(modelRows(config, stored, id, change), by)
      return one(view().modelProfiles, id)
    },
    changeNetwork: async (id, change, by) => {
      requireNetwork(config)
      one(view().networkProfiles, id)
      await stored.save(networkRows(stored, id, change), by)
      return one(view().networkProfiles, id)
    },
  }
}

function one<T extends { readonly id: string }>(list: readonly T[], id: string): T {
  const found = list.find((each) => each.id === id)
  if (!found) throw missing('profile', 'settings_get gives the ids.')
  return found
}

/** What a change of a model's profile writes. Throws what the change may not be. */
function modelRows(
  config: SettingsDeps['config'],
  stored: Overrides,
  id: string,
  change: ModelChange,
): Override[] {
  const profile = config.models.profiles[id]
  if (!profile) throw missing('profile', 'settings_get gives the ids.')
  checkModelChange(profile, change)
  const { isDefault, ...fields } = change
  const next = { ...stored.model(id), ...fields }
  const wanted = chosen(stored.preferences().defaultModel, id, isDefault)
  if (!isEnabled(next) && (wanted ?? config.models.default) === id)
    throw refusal(
      'default_disabled',
      'The default profile cannot be switched off.',
      'Make another profile the default first.',
    )
  return [
    { kind: 'model', id, data: next },
    { kind: 'preferences', id: PREFERENCES, data: { ...stored.preferences(), defaultModel: wanted } },
  ]
}

function networkRows(stored: Overrides, id: string, change: NetworkChange): Override[] {
  const { isDefault, ...fields } = change
  const wanted = chosen(stored.preferences().defaultNetwork, id, isDefault)
  return [
    { kind: 'network', id, data: { ...stored.network(id), ...fields } },
    { kind: 'preferences', id: PREFERENCES, data: { ...stored.preferences(), defaultNetwork: wanted } },
  ]
}

function requireNetwork({ sandbox }: SettingsDeps['config']): void {
  if (sandbox.network === 'host') return
  throw refusal(
    'no_network',
    'Commands have no network here, so a network profile would change nothing.',
    'An operator can set sandbox.network: host in yizhan.yaml.',
  )
}

/** The chosen default after a change: this one, another, or the configuration's own. */
function chosen(now: string | undefined, id: string, isDefault: boolean | undefined): string | undefined {
  if (isDefault === true) return id
  return isDefault === false && now === id ? undefined : now
}

function mergeModels(
  base: Config['models'],
  overrideOf: (id: string) => ModelOverride,
  wanted: string | undefined,
): Config['models'] {
  const enabled = Object.entries(base.profiles).filter(([id]) => isEnabled(overrideOf(id)))
  const profiles = Object.fromEntries(
    enabled.map(([id, profile]) => [id, withOverride(profile, overrideOf(id))]),
  )
  return { default: wanted !== undefined && wanted in profiles ? wanted : base.default, profiles }
}
