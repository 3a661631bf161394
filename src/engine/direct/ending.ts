/** Texts for the end of a run: they name the limit or the error, and what the person can do next. */
import type { DayLimit } from '../../protocol/engine.ts'
import { isAppError } from '../../protocol/errors.ts'
import type { RunOutcome } from '../../protocol/session-log.ts'
import type { Run } from './run.ts'

export interface Ending {
  readonly outcome: RunOutcome
  /** For the person. */
  readonly text: string
  readonly reason?: string
  /** For the model, when it is asked again later; open calls get it as their result. */
  readonly note?: string
}

type Cause = 'steps' | 'tokens' | 'time' | 'loop' | 'invalid' | DayLimit['name']

/** An end by one of the run's own limits. */
export function endText(run: Run, cause: Cause, params: Record<string, string | number> = {}): Ending {
  const { maxSteps, maxTokens, maxMs } = run.deps.budget
  const limits = { steps: maxSteps, tokens: maxTokens, minutes: Math.max(1, Math.round(maxMs / 60_000)) }
  return {
    outcome: 'failed',
    text: run.deps.text(`engine.limit_${cause}`, { ...limits, ...params }),
    reason: `limit.${cause}`,
    note: `The service ended this run: ${REASONS[cause]}.`,
  }
}

const REASONS: Readonly<Record<Cause, string>> = {
  steps: 'it reached its limit of steps',
  tokens: 'it reached its limit of tokens',
  time: 'it reached its time limit',
  chat_day: 'this chat has used its tokens of the day',
  day: 'the service has used its tokens of the day',
  loop: 'the same calls were repeated without progress and were not run again',
  invalid: 'three replies in a row were empty or held no valid call',
}

const MODEL_ERRORS = new Set([
  'model.overflow',
  'model.rate_limited',
  'model.no_balance',
  'model.unavailable',
  'model.auth',
  'model.bad_request',
  'model.interrupted',
  'model.silent',
  'model.sdk_missing',
])

/** An end by a failure of the model. Anything else is a bug or a lost lease and is thrown again. */
export function endFailed(run: Run, error: unknown): Ending {
  if (!isAppError(error) || !MODEL_ERRORS.has(error.code)) throw error
  const params = { profile: '', status: 0, detail: '', seconds: 0, ...error.params }
  run.deps.logger.warn({ code: error.code, hint: error.hint }, error.message)
  return {
    outcome: 'failed',
    text: run.deps.text(`error.${error.code}`, params),
    reason: error.code,
    note: 'The service ended this run: the model could not be asked.',
  }
}
