/** The search APIs: addresses and wire forms as their makers document them. */
import { z } from 'zod'
import { askApi, resultsOf } from './api.ts'
import type { SearchSource } from './source.ts'

export interface ApiSettings {
  readonly kind: 'searxng' | 'bing' | 'brave' | 'tavily' | 'bocha'
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
}

const list = z.array(z.unknown()).default([])
const flat = z.looseObject({ results: list })
const nestedWeb = z.looseObject({ web: z.looseObject({ results: list }).nullish() })
const pages = z.looseObject({ webPages: z.looseObject({ value: list }).nullish() })
const bochaPages = z.looseObject({ data: pages.nullish() })

/** A source for one entry of `search.sources`. */
export function createApiSource(settings: ApiSettings, fetchImpl: typeof fetch): SearchSource {
  const key = settings.apiKey ?? ''
  switch (settings.kind) {
    case 'searxng':
      return searxng(settings.baseUrl ?? '', fetchImpl)
    case 'bing':
      return bing(settings.baseUrl ?? 'https://api.bing.microsoft.com/v7.0/search', key, fetchImpl)
    case 'brave':
      return brave(settings.baseUrl ?? 'https://api.search.brave.com/res/v1/web/search', key, fetchImpl)
    case 'tavily':
      return tavily(settings.baseUrl ?? 'https://api.tavily.com/search', key, fetchImpl)
    case 'bocha':
      return bocha(settings.baseUrl ?? 'https://api.bochaai.com/v1/web-search', key, fetchImpl)
  }
}

/** docs.searxng.org, "Search API": `format=json` must be allowed in settings.yml. */
function searxng(baseUrl: string, fetchImpl: typeof fetch): SearchSource {
  return {
    name: 'searxng',
    search: async (query, count, signal) => {
      const url = withQuery(`${baseUrl.replace(/\/+$/, '')}/search`, { q: query, format: 'json' })
      const answer = await askApi(fetchImpl, { url }, signal)
      return resultsOf(flat.parse(answer).results.slice(0, count))
    },
  }
}

/** Bing Web Search v7 and what speaks like it. */
function bing(baseUrl: string, key: string, fetchImpl: typeof fetch): SearchSource {
  return {
    name: 'bing',
    search: async (query, count, signal) => {
      const url = withQuery(baseUrl, { q: query, count })
      const answer = await askApi(fetchImpl, { url, headers: { 'ocp-apim-subscription-key': key } }, signal)
      return resultsOf(pages.parse(answer).webPages?.value ?? [])
    },
  }
}

/** api-dashboard.search.brave.com: at most 20 results. */
function brave(baseUrl: string, key: string, fetchImpl: typeof fetch): SearchSource {
  return {
    name: 'brave',
    search: async (query, count, signal) => {
      const url = withQuery(baseUrl, { q: query, count: Math.min(count, 20) })
      const answer = await askApi(fetchImpl, { url, headers: { 'x-subscription-token': key } }, signal)
      return resultsOf(nestedWeb.parse(answer).web?.results ?? [])
    },
  }
}

/** docs.tavily.com: POST with a bearer key. */
function tavily(url: string, key: string, fetchImpl: typeof fetch): SearchSource {
  return {
    name: 'tavily',
    search: async (query, count, signal) => {
      const request = { url, headers: bearer(key), body: { query, max_results: count } }
      return resultsOf(flat.parse(await askApi(fetchImpl, request, signal)).results)
    },
  }
}

/** open.bochaai.com: the pages of Bing's form inside `data`. */
function bocha(url: string, key: string, fetchImpl: typeof fetch): SearchSource {
  return {
    name: 'bocha',
    search: async (query, count, signal) => {
      const request = { url, headers: bearer(key), body: { query, count, summary: true } }
      const answer = bochaPages.parse(await askApi(fetchImpl, request, signal))
      return resultsOf(answer.data?.webPages?.value ?? [])
    },
  }
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

function withQuery(base: string, params: Readonly<Record<string, string | number>>): string {
  const url = new URL(base)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value))
  return url.href
}
