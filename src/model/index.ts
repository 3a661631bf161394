/**
 * The models: one file per wire format, this list, and what they share (retry, silence, failures).
 * This room knows providers' wire formats and error wordings. It refuses to know sessions, tools'
 * meaning and people: it takes a request and yields events.
 */
import type { ModelProfile } from '../config/schema.ts'
import type { Model } from '../protocol/model.ts'
import { createAnthropicModel } from './anthropic.ts'
import { createDemoModel } from './demo.ts'
import type { ModelDeps } from './deps.ts'
import { createOpenAiModel } from './openai.ts'

export type { ModelDeps } from './deps.ts'

/**
 * Builds the model of a profile. `name` is the profile's name in `yizhan.yaml`; errors name it, so
 * that the operator finds the key to change. Loads the vendor's SDK at the first request only.
 */
export function createModel(name: string, profile: ModelProfile, deps: ModelDeps): Model {
  switch (profile.protocol) {
    case 'openai':
      return createOpenAiModel(name, profile, deps)
    case 'anthropic':
      return createAnthropicModel(name, profile, deps)
    case 'demo':
      return createDemoModel({
        clock: deps.clock,
        text: deps.text,
        zone: deps.zone,
        ...(deps.demoPieceMs === undefined ? {} : { pieceMs: deps.demoPieceMs }),
      })
  }
}
