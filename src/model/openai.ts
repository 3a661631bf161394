/** Chat completions, as OpenAI, GLM, DeepSeek, Qwen, Kimi, vLLM and Ollama speak them. */
import type { OpenAI } from 'openai'
import type { ModelProfile } from '../config/schema.ts'
import { AppError } from '../protocol/errors.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import type { ModelDeps } from './deps.ts'
import { createOpenAiAnswer, openAiChunk } from './openai-answer.ts'
import { openAiMessages, openAiTools } from './openai-request.ts'
import { createWireModel } from './stream.ts'
import { createStrictFetch } from './strict-fetch.ts'

type Profile = Extract<ModelProfile, { protocol: 'openai' }>

/** A model behind any `…/chat/completions`. The SDK is loaded at the first request. */
export function createOpenAiModel(name: string, profile: Profile, deps: ModelDeps): Model {
  let client: Promise<OpenAI> | undefined
  const open = async function* (
    request: ModelRequest,
    signal: AbortSignal,
    alive: () => void,
  ): AsyncIterable<ModelEvent> {
    client ??= createClient(profile, deps.fetch ?? fetch)
    const sdk = await client
    const body = requestBody(request, profile)
    const chunks = await sdk.chat.completions.create(body, { signal })
    const answer = createOpenAiAnswer()
    for await (const raw of chunks) {
      alive()
      yield* answer.take(openAiChunk.parse(raw))
    }
    yield* answer.finish()
  }
  return createWireModel(name, profile, deps, open)
}

async function createClient(profile: Profile, network: typeof fetch): Promise<OpenAI> {
  const { OpenAI } = await import('openai').catch((cause: unknown) => {
    throw new AppError('model.sdk_missing', 'the package "openai" cannot be loaded', {
      hint: 'Run npm ci in the project folder.',
      cause,
    })
  })
  return new OpenAI({
    apiKey: profile.apiKey || 'none',
    baseURL: profile.baseUrl,
    // Given explicitly, so that the SDK does not take them from the environment.
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createStrictFetch(network),
    ...(profile.apiKey ? {} : { defaultHeaders: { Authorization: null } }),
  })
}

function requestBody(
  request: ModelRequest,
  profile: Profile,
): OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming {
  // OpenAI's own newer models refuse `max_tokens`; nearly everyone else knows nothing else.
  const ownCloud = new URL(profile.baseUrl).hostname === 'api.openai.com'
  const limit =
    ownCloud || 'max_completion_tokens' in profile.extra
      ? { max_completion_tokens: request.maxOutputTokens }
      : { max_tokens: request.maxOutputTokens }
  return {
    model: profile.model,
    messages: openAiMessages(request, profile.images),
    ...(request.tools.length > 0 ? { tools: openAiTools(request.tools) } : {}),
    ...limit,
    stream_options: { include_usage: true },
    ...profile.extra,
    stream: true,
  }
}
