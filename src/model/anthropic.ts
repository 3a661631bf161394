/** The Messages API of Anthropic, and of servers that speak it. */
import type { Anthropic } from '@anthropic-ai/sdk'
import type { ModelProfile } from '../config/schema.ts'
import { AppError } from '../protocol/errors.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { anthropicEvent, createAnthropicAnswer } from './anthropic-answer.ts'
import { anthropicMessages, anthropicTools } from './anthropic-request.ts'
import type { ModelDeps } from './deps.ts'
import { createWireModel } from './stream.ts'
import { createStrictFetch } from './strict-fetch.ts'
import { wellFormed } from './wire-text.ts'

type Profile = Extract<ModelProfile, { protocol: 'anthropic' }>

/** Beta of the Messages API; servers whose models have it anyway take no notice. */
const LONG_CONTEXT = 'context-1m-2025-08-07'
const LONG_CONTEXT_TOKENS = 1_000_000

/** A model behind `…/v1/messages`. The SDK is loaded at the first request. */
export function createAnthropicModel(name: string, profile: Profile, deps: ModelDeps): Model {
  let client: Promise<Anthropic> | undefined
  const open = async function* (
    request: ModelRequest,
    signal: AbortSignal,
    alive: () => void,
  ): AsyncIterable<ModelEvent> {
    client ??= createClient(profile, deps.fetch ?? fetch)
    const sdk = await client
    const events = await sdk.messages.create(requestBody(request, profile), {
      signal,
      ...(profile.context1m === true ? { headers: { 'anthropic-beta': LONG_CONTEXT } } : {}),
    })
    const answer = createAnthropicAnswer()
    for await (const raw of events) {
      alive()
      yield* answer.take(anthropicEvent.parse(raw))
    }
    yield* answer.finish()
  }
  const contextTokens = profile.context1m === true ? LONG_CONTEXT_TOKENS : profile.contextTokens
  return createWireModel(name, { ...profile, contextTokens }, deps, open)
}

async function createClient(profile: Profile, network: typeof fetch): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk').catch((cause: unknown) => {
    throw new AppError('model.sdk_missing', 'the package "@anthropic-ai/sdk" cannot be loaded', {
      hint: 'Run npm ci in the project folder.',
      cause,
    })
  })
  return new Anthropic({
    apiKey: profile.apiKey,
    // Given explicitly, so that the SDK takes no token from the environment.
    authToken: null,
    baseURL: profile.baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createStrictFetch(network),
  })
}

function requestBody(request: ModelRequest, profile: Profile): Anthropic.MessageCreateParamsStreaming {
  const system = wellFormed(request.system)
  return {
    model: profile.model,
    max_tokens: request.maxOutputTokens,
    // Empty text blocks are refused, with or without a cache mark.
    ...(system === ''
      ? {}
      : { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] }),
    messages: anthropicMessages(request.messages, profile.images),
    ...(request.tools.length > 0 ? { tools: anthropicTools(request.tools) } : {}),
    ...(profile.effort === undefined ? {} : { output_config: { effort: profile.effort } }),
    stream: true,
  }
}
