/** One HTTP call to WeCom's API. Errors never carry the URL: tokens and robot keys are in its query. */
import { z } from 'zod'
import { AppError } from '../../src/protocol/errors.ts'
import { notConnected, outcomeUnknown, wecomError } from './errors.ts'

interface ApiCall {
  /** Short name for errors and logs, e.g. `message/send`. */
  readonly name: string
  readonly url: string
  /** Posted as JSON, or as it is with its content type; a GET when absent. */
  readonly json?: unknown
  readonly raw?: { readonly body: Buffer; readonly contentType: string }
  /** True when a repeated call does no harm: a lost answer is then retryable, not "outcome unknown". */
  readonly repeatable: boolean
  readonly timeoutMs?: number
  /** Ends what may be repeated. Another call that is on the wire is awaited all the same: cut short it may still arrive. */
  readonly signal?: AbortSignal | undefined
}

const TIMEOUT_MS = 15_000
/** What every JSON answer of the API carries; `errcode` 0 is success. */
export const answerSchema = z.looseObject({ errcode: z.number().default(0), errmsg: z.string().default('') })

/** Resolves with the JSON answer when `errcode` is 0; rejects with an `AppError` otherwise. */
export async function callApi(call: ApiCall): Promise<unknown> {
  const answer = answerSchema.safeParse(await exchange(call))
  if (!answer.success) {
    throw new AppError('wecom.bad_answer', `${call.name}: an answer that is not WeCom's`, {
      hint: 'Is baseUrl right, and no proxy in between?',
      retryable: call.repeatable,
    })
  }
  if (answer.data.errcode !== 0) throw wecomError(answer.data.errcode, answer.data.errmsg, call.name)
  return answer.data
}

async function exchange(call: ApiCall): Promise<unknown> {
  const signal = call.repeatable ? call.signal : undefined
  try {
    const response = await fetch(call.url, {
      ...requestOf(call),
      redirect: 'error',
      signal: withTimeout(call.timeoutMs ?? TIMEOUT_MS, signal),
    })
    return await response.json()
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (call.repeatable || neverSent(cause)) throw notConnected(`${call.name}: ${reasonOf(cause)}`)
    throw outcomeUnknown(call.name)
  }
}

function requestOf(call: ApiCall): RequestInit {
  if (call.raw !== undefined) {
    return {
      method: 'POST',
      headers: { 'content-type': call.raw.contentType },
      body: new Uint8Array(call.raw.body),
    }
  }
  if (call.json === undefined) return { method: 'GET' }
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call.json),
  }
}

/** A signal that also ends after `ms`. */
export function withTimeout(ms: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  return signal ? AbortSignal.any([signal, timeout]) : timeout
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENETUNREACH',
])

/** True when no connection was made, so the call cannot have had an effect. */
function neverSent(error: unknown): boolean {
  return NEVER_SENT.has(causeCode(error))
}

function reasonOf(error: unknown): string {
  return causeCode(error) || (error instanceof Error ? error.name : 'failed')
}

function causeCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
}
