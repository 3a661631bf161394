/** Public result pages, for installations without a key. They are fetched like any other page. */
import type { GuardedFetch } from '../../../net/guarded-fetch.ts'
import { plain } from './api.ts'
import type { SearchResult, SearchSource } from './source.ts'

const MOST_BYTES = 3 * 1024 * 1024
const TIMEOUT_MS = 12_000
/** Result pages answer programs that do not name a browser with a captcha. */
const HEADERS = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
  'accept-language': 'zh-CN,zh;q=0.9,en;q=0.6',
}
const SUMMARY_CHARACTERS = 500
const MOST_PIECES = 41
const PIECE_CHARACTERS = 8_000

/** Bing's feed, Bing's page, DuckDuckGo's page: in this order, since the first is the most regular. */
export function createPageSources(fetchPage: GuardedFetch): readonly SearchSource[] {
  return [
    page(fetchPage, 'bing.com (RSS)', 'https://www.bing.com/search?format=rss&q=', bingFeed),
    page(fetchPage, 'cn.bing.com', 'https://cn.bing.com/search?q=', bingPage),
    page(fetchPage, 'duckduckgo.com', 'https://html.duckduckgo.com/html/?q=', duckPage),
  ]
}

function page(
  fetchPage: GuardedFetch,
  name: string,
  prefix: string,
  read: (html: string) => readonly SearchResult[],
): SearchSource {
  return {
    name,
    search: async (query, count, signal) => {
      const response = await fetchPage(prefix + encodeURIComponent(query), {
        ...{ headers: HEADERS, maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS },
        signal,
      })
      if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
      const results = read(new TextDecoder().decode(response.body))
      if (results.length === 0) throw new Error('no results on its page, perhaps a captcha')
      return results.slice(0, count)
    },
  }
}

function bingFeed(xml: string): SearchResult[] {
  return pieces(xml, '<item>').flatMap((item) =>
    result(first(item, /<link>([^<]*)<\/link>/), first(item, /<title>([^<]*)<\/title>/), () =>
      first(item, /<description>([^<]*)<\/description>/),
    ),
  )
}

function bingPage(html: string): SearchResult[] {
  return pieces(html, '<li class="b_algo"').flatMap((item) => {
    const link = /<h2[^>]*>\s*<a[^>]*href="([^"]+)"[^>]*>([\s\S]*?)<\/a>/.exec(item)
    return result(link?.[1] ?? '', link?.[2] ?? '', () => first(item, /<p[^>]*>([\s\S]*?)<\/p>/))
  })
}

function duckPage(html: string): SearchResult[] {
  return pieces(html, 'class="result__a"').flatMap((item) => {
    const link = /href="([^"]+)"[^>]*>([\s\S]*?)<\/a>/.exec(item)
    const target = URL.parse(plain(link?.[1] ?? ''), 'https://duckduckgo.com')
    const address = target?.searchParams.get('uddg') ?? target?.href ?? ''
    return result(address, link?.[2] ?? '', () => first(item, /class="result__snippet"[^>]*>([\s\S]*?)<\/a>/))
  })
}

function result(url: string, title: string, summary: () => string): SearchResult[] {
  const address = plain(url)
  if (!/^https?:\/\//i.test(address)) return []
  return [
    {
      url: address,
      title: plain(plain(title)),
      summary: plain(plain(summary())).slice(0, SUMMARY_CHARACTERS),
    },
  ]
}

/** What follows each mark, cut short: a page of anybody's making must not cost more than its length. */
function pieces(text: string, mark: string): string[] {
  return text
    .split(mark, MOST_PIECES)
    .slice(1)
    .map((piece) => piece.slice(0, PIECE_CHARACTERS))
}

function first(text: string, pattern: RegExp): string {
  return (pattern.exec(text)?.[1] ?? '').replace(/^<!\[CDATA\[|\]\]>$/g, '')
}
