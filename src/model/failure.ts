/** Providers' errors in their many wordings → the few codes of {@link Model}. Pure. */
import { z } from 'zod'
import { AppError, type AppErrorOptions } from '../protocol/errors.ts'

const detailShape = z.looseObject({
  message: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
})

/** Both SDKs' `APIError`: the body is in `error`, for Anthropic once more inside. */
const sdkShape = z.looseObject({
  status: z.number().optional().catch(undefined),
  headers: z.instanceof(Headers).optional().catch(undefined),
  error: z.unknown().optional(),
  message: z.string().catch(''),
})

/** What a failed request said, without anything that must not be kept. */
export interface Fault {
  readonly status: number | undefined
  /** The provider's own type and code, lower case, joined. */
  readonly kind: string
  readonly message: string
  readonly retryAfterMs: number | undefined
}

/** Reads an SDK's error. `now` is wall time, for a Retry-After given as a date. */
export function readFault(error: unknown, now: number): Fault {
  const parsed = sdkShape.safeParse(error)
  if (!parsed.success) return { status: undefined, kind: '', message: String(error), retryAfterMs: undefined }
  const outer = detailShape.safeParse(parsed.data.error).data
  const inner = detailShape.safeParse(outer?.['error']).data
  return {
    status: parsed.data.status,
    kind: [inner?.type, inner?.code, outer?.type, outer?.code].filter(Boolean).join(' ').toLowerCase(),
    message: inner?.message ?? outer?.message ?? parsed.data.message,
    retryAfterMs: retryAfter(parsed.data.headers, now),
  }
}

function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const precise = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(precise) && precise >= 0) return precise
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(value)
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined
}

const BALANCE =
  /insufficient[ _](balance|quota|credit)|credit balance|exceeded_current_quota|billing|arrear|payment required|余额|欠费|账户.{0,6}(不足|停用)|资源包/i
const RATE =
  /rate[ _-]?limit|too many requests|requests? per|tokens? per (minute|day|min)|\btpm\b|\brpm\b|quota|throttl|限流|频率|速率|并发|请求过多/i
const OVERFLOW =
  /context[ _-]?(length|window|size|limit)|maximum context|prompt is too long|(input|prompt|request)[^.]{0,30}too (long|large)|exceeds?[^.]{0,40}(context|max(imum)?[^.]{0,12}(input|prompt|length))|input length[^.]{0,60}exceed|too many (input )?tokens|range of input length|(上下文|输入|提示词|prompt|tokens?)[^。]{0,16}(超|过长|太长)/i
const BUSY = /overload|unavailable|internal|server_error|api_error|busy|capacity|timeout|timed out|繁忙|过载/i

/**
 * Classifies a fault before the first event. Order matters: a rate limit often speaks of tokens and
 * must never look like an overflow, which would throw history away.
 */
export function classifyFault(fault: Fault, profile: string, secrets: readonly string[]): AppError {
  const { status } = fault
  const words = `${fault.kind} ${fault.message}`
  const fail = (code: string, hint: string, options: AppErrorOptions = {}): AppError => {
    const detail = scrub(fault.message, secrets)
    const shown = code === 'model.auth' ? '' : `: ${detail}`
    return new AppError(code, `model profile "${profile}"${status ? ` answered ${status}` : ''}${shown}`, {
      hint,
      params: { profile, status: status ?? 0, detail: code === 'model.auth' ? '' : detail },
      ...options,
    })
  }
  if (status === 401 || (status === 403 && !BALANCE.test(words))) {
    return fail('model.auth', `Check apiKey and baseUrl of models.profiles.${profile} in yizhan.yaml.`)
  }
  if (status === 402 || BALANCE.test(words)) {
    return fail('model.no_balance', `Top up the provider account behind models.profiles.${profile}.`)
  }
  const retry = {
    retryable: true,
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
  }
  if (status === 429 || (status !== 413 && RATE.test(words))) {
    return fail('model.rate_limited', 'The provider limits requests. Wait, or raise the limit there.', retry)
  }
  if (status === 413 || OVERFLOW.test(words)) {
    return fail('model.overflow', 'The conversation is longer than the model takes.')
  }
  const transient =
    status === undefined || status >= 500 || status === 408 || status === 409 || status === 425
  if (transient || (status === 200 && BUSY.test(words))) {
    return fail(
      'model.unavailable',
      `Check that the service can reach baseUrl of models.profiles.${profile}.`,
      retry,
    )
  }
  return fail(
    'model.bad_request',
    `The provider refused the request. Check model and extra of models.profiles.${profile}.`,
  )
}

/** Removes keys from a provider's own words and keeps them short. */
export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '***')
  return clean
    .replace(/\b(?:sk|ak|key)-[\w*.-]{4,}/gi, '***')
    .replace(/bearer\s+\S+/gi, 'Bearer ***')
    .slice(0, 300)
}
