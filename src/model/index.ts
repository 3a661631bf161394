/**
 * The models: one file per wire format, this list, and what they share (retry, silence, failures).
 * This room knows providers' wire formats and error wordings. It refuses to know sessions, tools'
 * meaning and people: it takes a request and yields events.
 */
import type { ModelProfile } from '../config/schema.ts'
import type { Model } from '../protocol/model.ts'
import type { Clock, Random, Translate } from '../protocol/ports.ts'
import { createAnthropicModel } from './anthropic.ts'
import { createDemoModel } from './demo.ts'
import { createOpenAiModel } from './openai.ts'
import type { RetryPolicy } from './retry.ts'

export interface ModelDeps {
  readonly clock: Clock
  readonly random: Random
  /** Words of the demo model; the other formats say nothing themselves. */
  readonly text: Translate
  /** Longest silence before the first byte and between events, milliseconds. Default 120,000. */
  readonly silenceMs?: number
  readonly retry?: Partial<RetryPolicy>
  /** Pause between two pieces of the demo model's text, milliseconds. */
  readonly demoPieceMs?: number
  /** Network for the SDKs; Node's own when absent. */
  readonly fetch?: typeof fetch
}

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
        ...(deps.demoPieceMs === undefined ? {} : { pieceMs: deps.demoPieceMs }),
      })
  }
}
