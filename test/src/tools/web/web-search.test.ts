import { describe, expect, it } from 'vitest'
import type { GuardedFetch } from '../../../../src/net/guarded-fetch.ts'
import { createApiSource } from '../../../../src/tools/web/sources/apis.ts'
import { createPageSources } from '../../../../src/tools/web/sources/pages.ts'
import { isToThePoint } from '../../../../src/tools/web/sources/relevance.ts'
import type { SearchResult, SearchSource } from '../../../../src/tools/web/sources/source.ts'
import { createWebSearchTool } from '../../../../src/tools/web/web-search.ts'
import { errorOf, textOf, toolBench } from '../bench.ts'

const signal = new AbortController().signal
const hit: SearchResult = { title: '审批 API', url: 'https://docs.example/a', summary: '企业微信审批接口' }
const source = (name: string, outcome: readonly SearchResult[] | Error): SearchSource => ({
  name,
  search: async () => {
    if (outcome instanceof Error) throw outcome
    return outcome
  },
})
const search = async (sources: readonly SearchSource[], args: object = {}) => {
  using bench = toolBench({ tools: [createWebSearchTool(sources)] })
  return bench.call('web_search', { query: '企业微信 审批', ...args })
}

/** A fetch that records its requests and answers with JSON. */
function api(answer: object, status = 200) {
  const requests: { url: string; headers: Headers; body: unknown; redirect: unknown }[] = []
  const fetchImpl: typeof fetch = async (url, init) => {
    requests.push({
      url: String(url),
      headers: new Headers(init?.headers),
      body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
      redirect: init?.redirect,
    })
    return Response.json(answer, { status })
  }
  return { requests, fetchImpl }
}

describe('web_search', () => {
  it('gives title, address and summary, and names the source and why others failed', async () => {
    const result = await search([
      source('bocha', new Error('HTTP 401: the key is refused')),
      source('brave', []),
      source('searxng', [hit]),
    ])
    expect(textOf(result)).toBe(
      '1 results from searxng for "企业微信 审批" (tried before: bocha: HTTP 401: the key is refused; brave: no results):\n\n[1] 审批 API\nhttps://docs.example/a\n企业微信审批接口',
    )
    expect(result).toMatchObject({ foreign: true })
  })

  it('passes over a source whose results have nothing to do with the question', async () => {
    const hijacked = { title: 'Log in to the network', url: 'https://portal.example', summary: 'Welcome' }
    const result = await search([source('bing.com', [hijacked]), source('duckduckgo.com', [hit])])
    expect(textOf(result)).toContain('bing.com: its results do not mention the query')
  })

  it('says how to configure one when there is none, and all reasons when none answers', async () => {
    expect(errorOf(await search([]))).toMatchObject({
      type: 'unavailable',
      hint: expect.stringContaining('search.sources'),
    })
    const error = errorOf(
      await search([source('a', new Error('HTTP 500')), source('b', new Error('HTTP 429'))]),
    )
    expect(error.message).toBe('No source answered. a: HTTP 500; b: HTTP 429.')
  })

  it('returns no more than was asked for, and refuses more than fifteen', async () => {
    const many = Array.from({ length: 9 }, (_, i) => ({ ...hit, url: `https://docs.example/${i}` }))
    expect(textOf(await search([source('x', many)], { max_results: 3 }))).toContain('3 results from x')
    expect(errorOf(await search([source('x', many)], { max_results: 16 })).type).toBe('invalid_argument')
  })
})

describe('search APIs', () => {
  const item = {
    title: 't',
    name: 't',
    url: 'https://r.example',
    content: 'c',
    snippet: 'c',
    description: 'c',
  }
  const expected = [{ title: 't', url: 'https://r.example', summary: 'c' }]
  const cases = [
    ['searxng', { results: [item] }, 'https://s.example/search?q=a+b&format=json', undefined],
    [
      'bing',
      { webPages: { value: [item] } },
      'https://s.example/?q=a+b&count=5',
      'ocp-apim-subscription-key',
    ],
    ['brave', { web: { results: [item] } }, 'https://s.example/?q=a+b&count=5', 'x-subscription-token'],
    ['tavily', { results: [item] }, 'https://s.example/', 'authorization'],
    ['bocha', { data: { webPages: { value: [item] } } }, 'https://s.example/', 'authorization'],
  ] as const

  it.each(cases)(
    '%s: asks in its wire form with the key in a header, refuses redirects',
    async (kind, answer, url, header) => {
      const { requests, fetchImpl } = api(answer)
      const made = createApiSource({ kind, apiKey: 'secret', baseUrl: 'https://s.example/' }, fetchImpl)
      expect(await made.search('a b', 5, signal)).toEqual(expected)
      const [request] = requests
      expect(request?.url).toBe(url)
      expect(request?.redirect).toBe('error')
      if (header) expect(request?.headers.get(header)).toContain('secret')
      expect(request?.url).not.toContain('secret')
    },
  )

  it('say a refused key, an empty balance and another form in words, never with the key', async () => {
    const ask = (answer: object, status: number) =>
      createApiSource({ kind: 'tavily', apiKey: 'secret' }, api(answer, status).fetchImpl).search(
        'x',
        5,
        signal,
      )
    await expect(ask({}, 401)).rejects.toThrow('HTTP 401: the key is refused')
    await expect(ask({}, 402)).rejects.toThrow('no balance')
    const odd = await search([createApiSource({ kind: 'bocha', apiKey: 'k' }, api({ data: 7 }).fetchImpl)])
    expect(errorOf(odd).message).toContain('bocha: an answer of another form')
  })

  it('take the marks off highlighted words and drop results without a web address', async () => {
    const { fetchImpl } = api({
      results: [
        { title: '<b>审批</b> &amp; 流程', url: 'https://a.example', content: 'x\u0000\u200by' },
        { title: 'bad', url: 'javascript:alert(1)', content: '' },
      ],
    })
    const made = createApiSource({ kind: 'searxng', baseUrl: 'https://s.example' }, fetchImpl)
    expect(await made.search('x', 5, signal)).toEqual([
      { title: '审批 & 流程', url: 'https://a.example', summary: 'x y' },
    ])
  })
})

describe('public result pages', () => {
  const pages: Record<string, string> = {
    'www.bing.com':
      '<rss><channel><title>x</title><item><title>审批 &amp; 流程</title><link>https://a.example/1</link><description>第一条</description></item></channel></rss>',
    'cn.bing.com':
      '<ol><li class="b_algo"><h2><a href="https://a.example/2" h="ID">二</a></h2><div><p class="b_lineclamp">第二条</p></div></li></ol>',
    'html.duckduckgo.com':
      '<a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F3&amp;rut=x">三</a><a class="result__snippet" href="x">第<b>三</b>条</a>',
  }
  const fetchPage: GuardedFetch = async (url) => ({
    ...{ status: 200, headers: {}, finalUrl: url, hops: 0 },
    body: Buffer.from(pages[new URL(url).hostname] ?? ''),
  })

  it('are read into title, address and summary', async () => {
    const found = await Promise.all(createPageSources(fetchPage).map((one) => one.search('审批', 5, signal)))
    expect(found.flat()).toEqual([
      { title: '审批 & 流程', url: 'https://a.example/1', summary: '第一条' },
      { title: '二', url: 'https://a.example/2', summary: '第二条' },
      { title: '三', url: 'https://a.example/3', summary: '第三条' },
    ])
  })

  it('N5: cost no more than their length, whatever they are made of', async () => {
    const hostile = Buffer.from('<item><title>'.repeat(60_000) + '<li class="b_algo"><h2><a '.repeat(60_000))
    const flood: GuardedFetch = async (url) => ({ ...(await fetchPage(url)), body: hostile })
    const started = performance.now()
    for (const one of createPageSources(flood)) await one.search('x', 5, signal).catch(() => [])
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('without a result are a failure that says so', async () => {
    const captcha: GuardedFetch = async (url) => ({
      ...(await fetchPage(url)),
      body: Buffer.from('<p>captcha'),
    })
    const [first] = createPageSources(captcha)
    await expect(first?.search('x', 5, signal)).rejects.toThrow('perhaps a captcha')
  })
})

describe('relevance', () => {
  it('needs one word of the query or a pair of its characters', () => {
    expect(isToThePoint('怎么审批报销', [hit])).toBe(true)
    expect(isToThePoint('docs', [hit])).toBe(true)
    expect(isToThePoint('天气预报', [hit])).toBe(false)
    expect(isToThePoint('?', [hit])).toBe(true)
  })
})
