/**
 * MiniMax's video interface: ask for one, ask how it goes. Knows its two requests and refuses to know who
 * wanted the video. Neither the key nor anything that may hold it appears in an error.
 */
import { z } from 'zod'
import { AppError } from '../protocol/errors.ts'

export interface VideoRequest {
  readonly prompt: string
  readonly resolution: '1080P' | '2K'
  /** Seconds. */
  readonly duration: number
  readonly ratio: string
}

export type VideoState =
  | { readonly state: 'running' }
  | { readonly state: 'succeeded'; readonly url: string }
  | { readonly state: 'failed'; readonly detail: string }

export interface VideoClient {
  /** Resolves to the task's id. Rejects with `video.rejected` or `video.unavailable` (retryable). */
  create(request: VideoRequest, signal: AbortSignal): Promise<string>
  state(taskId: string, signal: AbortSignal): Promise<VideoState>
}

export interface VideoClientConfig {
  readonly apiKey: string
  readonly baseUrl: string
  readonly model: string
}

const REQUEST_MS = 30_000
const BODY_CHARS = 200_000
const DETAIL_CHARS = 300

/** Errors come as HTTP status or, with status 200, as `base_resp`. */
const baseSchema = z.looseObject({
  base_resp: z.looseObject({ status_code: z.number(), status_msg: z.string().default('') }).optional(),
})

const createdSchema = baseSchema.extend({ task_id: z.union([z.string(), z.number()]).optional() })

/** The address of the file stands in `content` beside a plain field of older answers. */
const stateSchema = baseSchema.extend({
  status: z.string(),
  content: z.looseObject({ video_url: z.string().optional() }).optional(),
  video_url: z.string().optional(),
  error: z.looseObject({ message: z.string().default('') }).optional(),
})

/** Rejects with `video.unavailable` for status 429 and 5xx, with `video.rejected` for every other refusal. */
export function createMinimaxClient(config: VideoClientConfig): VideoClient {
  const call = async (path: string, init: RequestInit, signal: AbortSignal): Promise<unknown> => {
    const response = await send(new URL(path, config.baseUrl), config.apiKey, init, signal)
    const body = (await response.text()).slice(0, BODY_CHARS)
    const json = parseJson(body)
    const said = baseSchema.safeParse(json).data?.base_resp
    const failed = !response.ok || (said !== undefined && said.status_code !== 0)
    if (!failed) return json
    const detail = masked(said?.status_msg || `HTTP ${response.status}`, config.apiKey)
    if (response.status === 429 || response.status >= 500) throw unavailable(detail)
    throw rejected(detail)
  }
  return {
    create: async ({ prompt, ...shape }, signal) => {
      const body = { model: config.model, content: [{ type: 'text', text: prompt }], ...shape }
      const init = { method: 'POST', body: JSON.stringify(body) }
      const created = createdSchema.safeParse(await call('/v2/video_generation', init, signal))
      const id = created.data?.task_id
      if (id === undefined) throw rejected('The answer holds no task_id.')
      return String(id)
    },
    state: async (taskId, signal) => {
      const path = `/v2/query/video_generation/${encodeURIComponent(taskId)}`
      const parsed = stateSchema.safeParse(await call(path, { method: 'GET' }, signal))
      if (!parsed.success) throw unavailable('The answer holds no status.')
      return stateOf(parsed.data, config.apiKey)
    },
  }
}

function stateOf(answer: z.output<typeof stateSchema>, apiKey: string): VideoState {
  const status = answer.status.toLowerCase()
  if (status === 'failed' || status === 'fail') {
    return { state: 'failed', detail: masked(answer.error?.message ?? '', apiKey) }
  }
  if (status !== 'succeeded' && status !== 'success') return { state: 'running' }
  const url = answer.content?.video_url ?? answer.video_url
  return url === undefined
    ? { state: 'failed', detail: 'The answer holds no address of a file.' }
    : { state: 'succeeded', url }
}

async function send(url: URL, apiKey: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      // A redirect could take the key to another host.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw unavailable(
      error instanceof Error && error.name === 'TimeoutError' ? 'No answer in time.' : 'No connection.',
    )
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function masked(text: string, apiKey: string): string {
  const cut = text.slice(0, DETAIL_CHARS)
  return apiKey === '' ? cut : cut.replaceAll(apiKey, '…')
}

function rejected(detail: string): AppError {
  return new AppError('video.rejected', `The video service refused: ${detail}`, {
    hint: 'Change the request, or have an operator look at key and balance.',
    params: { detail },
  })
}

function unavailable(detail: string): AppError {
  return new AppError('video.unavailable', `The video service did not answer: ${detail}`, {
    hint: 'Try again later.',
    retryable: true,
    params: { detail },
  })
}
