/** What an administrator may change about a profile, and what comes of it. Pure; no key is ever looked at. */
import { z } from 'zod'
import type { ModelProfile } from '../../config/schema.ts'
import { refusal } from '../errors.ts'

export const EFFORTS = ['low', 'medium', 'high'] as const

const name = z.string().trim().min(1).max(60).optional()
const model = z.string().trim().min(1).max(120).optional()

/** Fields of `model_profile_update`, beside the profile's id. */
export const modelChange = z.object({
  name: name.describe('Name that people see in /model.'),
  isDefault: z.boolean().optional().describe('Use this profile where a chat has chosen none.'),
  claudeEnabled: z.boolean().optional().describe('Anthropic profiles: may be chosen at all.'),
  claudeModel: model.describe('Anthropic profiles: the model asked for.'),
  claudeBaseUrl: z.url().optional().describe('Anthropic profiles: another path on the configured server.'),
  claudeContext1m: z.boolean().optional().describe('Anthropic profiles: a context of a million tokens.'),
  claudeEffort: z.enum(EFFORTS).optional().describe('Anthropic profiles: how much the model thinks.'),
  codexEnabled: z.boolean().optional().describe('OpenAI profiles: may be chosen at all.'),
  codexModel: model.describe('OpenAI profiles: the model asked for.'),
  codexBaseUrl: z.url().optional().describe('OpenAI profiles: another path on the configured server.'),
  codexReasoningEffort: z.enum(EFFORTS).optional().describe('OpenAI profiles: how much the model thinks.'),
})

export type ModelChange = z.output<typeof modelChange>

/** What is stored about a model profile. Being the default is one setting for all of them. */
export const modelOverride = modelChange.omit({ isDefault: true })
export type ModelOverride = z.output<typeof modelOverride>

/** Rejects with `workbench.profile_kind` when a field belongs to another protocol, `…_server` for another server. */
export function checkModelChange(profile: ModelProfile, change: ModelChange): void {
  const wrong = Object.keys(change).find(
    (field) =>
      (field.startsWith('claude') && profile.protocol !== 'anthropic') ||
      (field.startsWith('codex') && profile.protocol !== 'openai'),
  )
  if (wrong !== undefined)
    throw refusal(
      'profile_kind',
      `${wrong} does not belong to a profile of protocol ${profile.protocol}.`,
      'claude… is for anthropic profiles, codex… for openai profiles; settings_get shows the protocol.',
    )
  const wanted = change.claudeBaseUrl ?? change.codexBaseUrl
  if (wanted === undefined || profile.protocol === 'demo') return
  // The key stays, so it may only go where the operator sent it.
  if (new URL(wanted).origin !== new URL(profile.baseUrl).origin || new URL(wanted).username !== '')
    throw refusal(
      'profile_server',
      "The profile's key belongs to another server.",
      'Another server needs a profile of its own in yizhan.yaml, with its own key.',
    )
}

/** The profile with the changes in it. */
export function withOverride(profile: ModelProfile, change: ModelOverride): ModelProfile {
  if (profile.protocol === 'anthropic') {
    return {
      ...profile,
      ...(change.claudeModel === undefined ? {} : { model: change.claudeModel }),
      ...(change.claudeBaseUrl === undefined ? {} : { baseUrl: change.claudeBaseUrl }),
      ...(change.claudeContext1m === undefined ? {} : { context1m: change.claudeContext1m }),
      ...(change.claudeEffort === undefined ? {} : { effort: change.claudeEffort }),
    }
  }
  if (profile.protocol === 'demo') return profile
  const effort = change.codexReasoningEffort
  return {
    ...profile,
    ...(change.codexModel === undefined ? {} : { model: change.codexModel }),
    ...(change.codexBaseUrl === undefined ? {} : { baseUrl: change.codexBaseUrl }),
    ...(effort === undefined ? {} : { extra: { ...profile.extra, reasoning_effort: effort } }),
  }
}

export function isEnabled(change: ModelOverride): boolean {
  return (change.claudeEnabled ?? true) && (change.codexEnabled ?? true)
}
