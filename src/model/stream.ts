/** Turns one wire format's single try into a model's stream: silence watchdog, retry, clear ends. */
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import type { Clock, Random } from '../protocol/ports.ts'
import { createAnswerLimit } from './answer-limit.ts'
import type { ModelDeps } from './deps.ts'
import { classifyFault, readFault } from './failure.ts'
import { DEFAULT_RETRY, type RetryPolicy, retryDelay } from './retry.ts'
import { watchSilence } from './silence.ts'

/**
 * One try. Calls `alive` for every chunk that comes, also for those that yield no event. Throws
 * whatever the SDK throws; yields `done` last or throws.
 */
export type OpenWire = (
  request: ModelRequest,
  signal: AbortSignal,
  alive: () => void,
) => AsyncIterable<ModelEvent>

export interface StreamDeps {
  readonly profile: string
  readonly clock: Clock
  readonly random: Random
  readonly silenceMs?: number | undefined
  readonly retry?: Partial<RetryPolicy> | undefined
  /** Turns an SDK's error into ours. Must not keep the SDK's error: it holds headers. */
  classify(error: unknown): AppError
}

const SILENCE_MS = 120_000

/** What the profiles of all wire formats have in common. */
interface WireProfile {
  readonly model: string
  readonly apiKey: string
  readonly contextTokens: number
  readonly maxOutputTokens: number
  readonly price?: Price | undefined
}

interface Price {
  readonly input: number
  readonly output: number
  readonly cached?: number | undefined
  readonly currency: string
}

/**
 * The model of one profile over its wire format.
 * @param name the profile's name in `yizhan.yaml`; errors name it
 */
export function createWireModel(name: string, profile: WireProfile, deps: ModelDeps, open: OpenWire): Model {
  const { price } = profile
  return {
    name: profile.model,
    contextTokens: profile.contextTokens,
    maxOutputTokens: profile.maxOutputTokens,
    price: price && { ...price, cached: price.cached ?? price.input },
    disclosure: undefined,
    stream: createStream(open, {
      ...deps,
      profile: name,
      classify: (error) => classifyFault(readFault(error, deps.clock.now()), name, [profile.apiKey]),
    }),
  }
}

/**
 * Retries only before the first chunk of an answer. After it, a failure is `model.interrupted` (or
 * `model.silent`) and the caller decides. An abort throws the signal's reason.
 */
export function createStream(
  open: OpenWire,
  deps: StreamDeps,
): (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent> {
  const policy = { ...DEFAULT_RETRY, ...deps.retry }
  return async function* stream(request, signal) {
    const startedAt = deps.clock.monotonic()
    for (let attempt = 1; ; attempt++) {
      const progress = { begun: false }
      try {
        yield* tryOnce(open, request, deps, progress, signal)
        return
      } catch (error) {
        signal.throwIfAborted()
        if (progress.begun) throw interrupted(error, deps.profile)
        const failure = isAppError(error) ? error : deps.classify(error)
        const elapsed = deps.clock.monotonic() - startedAt
        const waitMs = retryDelay(failure, attempt, elapsed, policy, deps.random)
        if (waitMs === undefined) throw failure
        yield { type: 'retry', code: failure.code, waitMs }
        await deps.clock.sleep(waitMs, signal)
      }
    }
  }
}

async function* tryOnce(
  open: OpenWire,
  request: ModelRequest,
  deps: StreamDeps,
  progress: { begun: boolean },
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  const silenceMs = deps.silenceMs ?? SILENCE_MS
  const watch = watchSilence(deps.clock, silenceMs, signal, () => silent(deps.profile, silenceMs))
  const source = open(request, watch.signal, () => {
    progress.begun = true
    watch.alive()
  })
  const iterator = source[Symbol.asyncIterator]()
  const limit = createAnswerLimit(request.maxOutputTokens)
  try {
    for (;;) {
      const next = await watch.race(iterator.next())
      if (next.done) return
      if (limit.exceeded(next.value)) {
        yield { type: 'done', stop: 'length', usage: limit.usage() }
        return
      }
      yield next.value
    }
  } catch (error) {
    throw watch.reason() ?? error
  } finally {
    watch.stop()
    // The SDK's generator may still wait for its socket; its own end is of no interest any more.
    iterator.return?.().catch(() => undefined)
  }
}

function interrupted(error: unknown, profile: string): AppError {
  if (isAppError(error, 'model.silent')) return error
  return new AppError('model.interrupted', `model profile "${profile}": the answer broke off half-way`, {
    hint: 'The connection or the provider cut the answer. Asking again usually helps.',
    retryable: true,
    params: { profile },
  })
}

function silent(profile: string, silenceMs: number): AppError {
  const seconds = Math.round(silenceMs / 1000)
  return new AppError('model.silent', `model profile "${profile}": nothing came for ${seconds} s`, {
    hint: `The provider accepted the request but sent nothing for ${seconds} s. Try again, or check the provider's status page.`,
    retryable: true,
    params: { profile, seconds },
  })
}
