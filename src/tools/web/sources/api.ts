/** Asking a search API that the operator configured. The host is the operator's choice, so it may be private. */
import { z } from 'zod'
import type { SearchResult } from './source.ts'

const MOST_BYTES = 2 * 1024 * 1024
const SUMMARY_CHARACTERS = 500
/** Of one field; sources that send more send it by mistake. */
const FIELD_CHARACTERS = 4_000

export interface ApiRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON by POST; without it a GET. */
  readonly body?: object
}

/** The JSON of an answer; rejects with the status or what was wrong, never with the key. */
export async function askApi(
  fetchImpl: typeof fetch,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetchImpl(request.url, {
    method: request.body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    // A redirect would carry the key to another host.
    redirect: 'error',
    signal,
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(statusText(response.status))
  }
  const text = await response.text()
  if (text.length > MOST_BYTES) throw new Error('an answer that is too long')
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('no JSON; is the address right?')
  }
}

function statusText(status: number): string {
  if (status === 401 || status === 403) return `HTTP ${status}: the key is refused`
  if (status === 402) return 'HTTP 402: no balance'
  return status === 429 ? 'HTTP 429: rate limited' : `HTTP ${status}`
}

const itemSchema = z.looseObject({
  url: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  content: z.string().nullish(),
  snippet: z.string().nullish(),
  summary: z.string().nullish(),
  description: z.string().nullish(),
})

/** Results of any of the APIs: they differ in the names of two fields. Broken items are left out. */
export function resultsOf(items: readonly unknown[]): SearchResult[] {
  return items.flatMap((item) => {
    const parsed = itemSchema.safeParse(item)
    if (!parsed.success || !/^https?:\/\//i.test(parsed.data.url)) return []
    const { url, title, name, summary, snippet, content, description } = parsed.data
    return [
      {
        url,
        title: plain(title ?? name ?? url),
        summary: plain(summary || snippet || content || description || '').slice(0, SUMMARY_CHARACTERS),
      },
    ]
  })
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
}

/** Text without the markup with which sources highlight words. */
export function plain(text: string): string {
  return text
    .slice(0, FIELD_CHARACTERS)
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (whole, name: string) => NAMED[name] ?? whole)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .toWellFormed()
}
