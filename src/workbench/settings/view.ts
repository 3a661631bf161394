/** Settings as they are shown. Built field by field, so that a key or a header can never come along. */
import type { ModelProfile } from '../../config/schema.ts'
import type { NetworkOverride } from './network.ts'
import { isEnabled, type ModelOverride } from './profiles.ts'

export interface SettingsView {
  readonly language: 'system' | 'zh-CN' | 'en'
  readonly modelProfiles: readonly ModelProfileView[]
  readonly networkProfiles: readonly NetworkProfileView[]
  /** Network profiles have an effect with `host` only. */
  readonly sandboxNetwork: 'none' | 'host'
}

interface ModelProfileView {
  readonly id: string
  readonly name: string
  readonly protocol: string
  readonly isDefault: boolean
  readonly enabled: boolean
  readonly model?: string
  readonly baseUrl?: string
  readonly contextTokens?: number
  readonly effort?: string
}

interface NetworkProfileView extends NetworkOverride {
  readonly id: string
  readonly isDefault: boolean
}

export function modelView(
  id: string,
  profile: ModelProfile,
  change: ModelOverride,
  isDefault: boolean,
): ModelProfileView {
  const { protocol } = profile
  const common = { id, name: change.name ?? id, protocol, isDefault, enabled: isEnabled(change) }
  if (profile.protocol === 'demo') return common
  const effort = profile.protocol === 'anthropic' ? profile.effort : profile.extra.reasoning_effort
  const long = profile.protocol === 'anthropic' && profile.context1m === true
  return {
    ...common,
    model: profile.model,
    baseUrl: withoutLogin(profile.baseUrl),
    contextTokens: long ? 1_000_000 : profile.contextTokens,
    ...(typeof effort === 'string' ? { effort } : {}),
  }
}

export function networkView(id: string, profile: NetworkOverride, isDefault: boolean): NetworkProfileView {
  return { id, ...profile, name: profile.name ?? id, enabled: profile.enabled ?? true, isDefault }
}

/** The address without what somebody may have written into it as a login or a query. */
function withoutLogin(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname === '/' ? '' : pathname}`
}
