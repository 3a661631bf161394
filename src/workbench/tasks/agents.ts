/** Which model works on a task: the kind of agent names a protocol, a profile names it exactly. */
import type { Config, ModelProfile } from '../../config/schema.ts'
import { refusal } from '../errors.ts'
import type { AGENT_TYPES } from './task.ts'

export type AgentType = (typeof AGENT_TYPES)[number]

export interface AgentChoice {
  readonly agentType: AgentType
  readonly profileId: string | null
  readonly modelName: string | null
}

/**
 * Name of the model for a session: a profile, or `profile#model` for another model of that profile.
 * `claude` runs on a profile of the Anthropic protocol, `codex` on one of the OpenAI protocol, `grok` on
 * one whose model is a Grok, `opencode` on any; without a profile the default one, if it fits, else the
 * first that does. Rejects with `workbench.no_profile` when none fits.
 */
export function modelOf(models: Config['models'], choice: AgentChoice): string {
  const profileId = choice.profileId ?? firstFitting(models, choice.agentType)
  const profile = profileId === undefined ? undefined : models.profiles[profileId]
  if (profileId === undefined || profile === undefined || !fits(profile, choice.agentType))
    throw refusal(
      'no_profile',
      `No enabled model profile fits the agent ${choice.agentType}${choice.profileId === null ? '' : ` and the id "${choice.profileId}"`}.`,
      `Profiles: ${Object.entries(models.profiles)
        .map(([id, one]) => `${id} (${one.protocol})`)
        .join(', ')}. claude needs anthropic, codex needs openai, opencode takes any.`,
    )
  if (choice.modelName === null) return profileId
  if (profile.protocol === 'demo')
    throw refusal('no_model_name', 'The demo profile has no models to choose from.', 'Leave modelName out.')
  return `${profileId}#${choice.modelName}`
}

function firstFitting(models: Config['models'], agentType: AgentType): string | undefined {
  const ids = [models.default, ...Object.keys(models.profiles)]
  return ids.find((id) => {
    const profile = models.profiles[id]
    return profile !== undefined && fits(profile, agentType)
  })
}

function fits(profile: ModelProfile, agentType: AgentType): boolean {
  switch (agentType) {
    case 'claude':
      return profile.protocol === 'anthropic'
    case 'codex':
      return profile.protocol === 'openai'
    case 'grok':
      return profile.protocol !== 'demo' && /grok/i.test(profile.model)
    case 'opencode':
      return true
  }
}
