/**
 * Feishu's HTTP API on `fetch`. Knows tokens, error codes, timeouts and rate buckets; knows nothing of
 * messages or cards. The vendor's client is not used for calls: it asks for a token once per concurrent
 * caller, never recovers from a token the server has dropped, loses the code of a failed upload, and
 * puts the app secret into the errors it throws and logs.
 */
import { z } from 'zod'
import type { AdapterDeps } from '../../../src/protocol/adapter.ts'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import { baseUrl, type FeishuConfig } from '../config.ts'
import { platformCode, platformError } from '../errors.ts'
import { readCapped } from './body.ts'
import { apiBucket, type Bucket } from './bucket.ts'
import { createTokenSource, type IssuedToken } from './token.ts'

/** One call of the open platform. */
export interface ApiCall {
  /** Name of the API, the same for every call of it: the app's quota is counted per API. */
  readonly api: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the base URL, ids already percent-encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Made anew for every try, because a body can be read only once. */
  readonly form?: () => Promise<FormData>
  readonly buckets?: readonly Bucket[]
  readonly priority?: 'high' | 'low'
  /** Chat or card whose turn it is among low calls. */
  readonly lane?: string
  /** A file may be JSON itself; absent means that the answer is an envelope. */
  readonly expects?: 'json' | 'file'
  readonly timeoutMs?: number
  /** Value of a `Range` header: the rest of a file. */
  readonly range?: string | undefined
  /**
   * Ends the waiting for a turn, and what only reads. A change that is on the wire is awaited all the same:
   * cut short it may still arrive, after the change that follows it.
   */
  readonly signal?: AbortSignal | undefined
}

/** The open platform as one app may use it. */
export interface Api {
  readonly config: FeishuConfig
  /** Parsed body of a successful call. Rejects with an `AppError` on any refusal, HTTP 200 or not. */
  json<T>(call: ApiCall, schema: z.ZodType<T>): Promise<T>
  /** Answer whose body is a file. JSON bodies are refusals, even with HTTP 200. */
  stream(call: ApiCall): Promise<Response>
}

type ApiDeps = Pick<AdapterDeps, 'clock' | 'random' | 'scheduler'> & { readonly fetch: typeof fetch }

const TIMEOUT_MS = 15_000
const TOKEN_CODES = new Set([99991661, 99991663, 99991671])
/** Refusals that are about the chat, message or card, not about the app's share of an API. */
const TARGET_RATE_CODES = new Set([230020, 230049, 200810])

const envelopeSchema = z.looseObject({
  code: z.number(),
  msg: z.string().default(''),
  error: z.looseObject({ log_id: z.string().optional() }).optional().catch(undefined),
})

/** Schema for calls whose answer does not matter beyond success. */
export const anyAnswer = z.looseObject({})

/** Builds the API of one app. */
export function createApi(config: FeishuConfig, deps: ApiDeps): Api {
  const base = baseUrl(config.domain)
  const tokens = createTokenSource(deps.clock, () => issueToken(config, deps))

  const attempt = async (call: ApiCall, token: string): Promise<Response> => {
    const own = apiBucket(config.appId, call.api)
    const buckets = [own, ...(call.buckets ?? [])]
    const response = await deps.scheduler.run(
      {
        buckets,
        priority: call.priority ?? 'high',
        lane: call.lane ?? call.api,
        ...(call.signal ? { signal: call.signal } : {}),
      },
      () => dispatch(deps.fetch, base, call, token),
    )
    try {
      return await accept(config, response, call.expects ?? 'json')
    } catch (error) {
      holdBuckets(deps, buckets, error)
      throw error
    }
  }

  /** Reading twice does no harm, and a kept-alive connection that the server has closed is common. */
  const read = async (call: ApiCall, token: string): Promise<Response> => {
    try {
      return await attempt(call, token)
    } catch (error) {
      if (!isAppError(error, 'feishu.unreachable')) throw error
      return attempt(call, token)
    }
  }

  const perform = async (call: ApiCall): Promise<Response> => {
    const go = call.method === 'GET' ? read : attempt
    const token = await tokens.get()
    try {
      return await go(call, token)
    } catch (error) {
      if (!TOKEN_CODES.has(platformCode(error) ?? 0)) throw error
      tokens.invalidate(token)
      return go(call, await tokens.get())
    }
  }

  return {
    config,
    stream: (call) => perform({ ...call, expects: 'file' }),
    json: async (call, schema) => {
      const response = await perform(call)
      const parsed = schema.safeParse(JSON.parse(await response.text()))
      if (parsed.success) return parsed.data
      throw new AppError('feishu.unexpected_answer', `${call.api} answered in an unknown shape`, {
        hint: 'Feishu changed its answer; report it with the log of this call.',
        cause: parsed.error,
      })
    },
  }
}

/** One HTTP exchange. Network trouble becomes a retryable `AppError` that holds no request data. */
export async function dispatch(
  fetcher: typeof fetch,
  base: string,
  call: ApiCall,
  token?: string,
): Promise<Response> {
  const url = new URL(base + call.path)
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  const timeout = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS)
  const stop = call.method === 'GET' ? call.signal : undefined
  const form = await call.form?.()
  try {
    return await fetcher(url, {
      method: call.method,
      redirect: 'error',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(call.range === undefined ? {} : { range: call.range }),
        ...(call.json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      },
      ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
      ...(form ? { body: form } : {}),
      signal: stop ? AbortSignal.any([stop, timeout]) : timeout,
    })
  } catch (error) {
    if (stop?.aborted) throw stop.reason
    throw new AppError(
      'feishu.unreachable',
      timeout.aborted ? `${call.api} did not answer in time` : `${call.api} could not be reached`,
      {
        hint: 'Check the network, the proxy and `domain`; it is tried again by itself.',
        retryable: true,
        cause: error,
      },
    )
  }
}

/**
 * Returns the answer with its body readable, or throws what the platform refused. Errors come in the
 * place of files too, with HTTP 200 and a JSON body, but never with a file name.
 */
async function accept(config: FeishuConfig, response: Response, expects: 'json' | 'file'): Promise<Response> {
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  const isNamed = response.headers.has('content-disposition')
  if (response.ok && expects === 'file' && (isNamed || !isJson)) return response
  const text = await readCapped(response)
  const envelope = parseEnvelope(text)
  if (response.ok && (envelope?.code === 0 || (!envelope && expects === 'file'))) {
    return new Response(text, { headers: response.headers })
  }
  const logId = envelope?.error?.log_id ?? response.headers.get('x-tt-logid') ?? undefined
  const reset = Number(response.headers.get('x-ogw-ratelimit-reset') ?? Number.NaN)
  throw platformError(config, {
    code: envelope?.code ?? response.status,
    message: envelope?.msg ?? `HTTP ${response.status}`,
    // An answer that is no envelope comes from something in between, whatever its status says.
    status: envelope ? response.status : Math.max(response.status, 502),
    ...(logId === undefined ? {} : { logId }),
    ...(Number.isFinite(reset) && reset > 0 ? { retryAfterMs: Math.ceil(reset * 1_000) } : {}),
  })
}

function parseEnvelope(text: string): z.output<typeof envelopeSchema> | undefined {
  try {
    return envelopeSchema.safeParse(JSON.parse(text)).data
  } catch {
    // Gateways answer some failures in HTML; the status then says all there is to know.
    return undefined
  }
}

/** Feishu names a waiting time for the app's quota only; the per-target limits are one second long. */
function holdBuckets(deps: ApiDeps, buckets: readonly Bucket[], error: unknown): void {
  if (!isAppError(error, 'feishu.rate_limited')) return
  const aboutTarget = TARGET_RATE_CODES.has(platformCode(error) ?? 0)
  const bucket = (aboutTarget ? buckets[1] : undefined) ?? buckets[0]
  const wait = error.retryAfterMs ?? 1_000 + Math.floor(deps.random.float() * 500)
  if (bucket) deps.scheduler.hold(bucket.name, wait)
}

const tokenSchema = z.looseObject({ tenant_access_token: z.string().min(1), expire: z.number().positive() })

async function issueToken(config: FeishuConfig, deps: ApiDeps): Promise<IssuedToken> {
  const response = await dispatch(deps.fetch, baseUrl(config.domain), {
    api: 'auth.token',
    method: 'POST',
    path: '/open-apis/auth/v3/tenant_access_token/internal',
    json: { app_id: config.appId, app_secret: config.appSecret },
  })
  const accepted = await accept(config, response, 'json')
  const parsed = tokenSchema.safeParse(JSON.parse(await accepted.text()))
  if (!parsed.success) {
    throw new AppError('feishu.unexpected_answer', 'the token request was answered without a token', {
      hint: 'Check `domain`: something other than Feishu may be answering.',
      retryable: true,
    })
  }
  return { token: parsed.data.tenant_access_token, expiresInSeconds: parsed.data.expire }
}
