import { z } from 'zod'
import { isAppError } from '../../protocol/errors.ts'
import { type AnyTool, defineTool, type ToolResult, toolError } from '../../protocol/tool.ts'
import { oneLine } from '../one-line.ts'
import { isToThePoint } from './sources/relevance.ts'
import type { SearchResult, SearchSource } from './sources/source.ts'

/** One source; the next is asked when it takes longer. */
const SOURCE_MS = 15_000

/** Asks one source after the other, 15 s each, until one answers to the point. */
export function createWebSearchTool(sources: readonly SearchSource[]): AnyTool {
  return defineTool({
    name: 'web_search',
    description:
      'Searches the web and returns title, address and summary of each result, with the source that answered and why others did not. To read a result use web_fetch; for files of the workspace use grep.',
    input: z.strictObject({
      query: z
        .string()
        .trim()
        .min(1)
        .max(400)
        .describe('What to search for, as one would type it; it is sent to the search service.')
        .meta({ examples: ['企业微信 审批 API 文档'] }),
      max_results: z.int().min(1).max(15).default(8).describe('Results at most, 1 to 15. Default 8.'),
    }),
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('web.search.title', { query: oneLine(args.query) }),
    run: async (args, _ctx, signal) => {
      const failures: string[] = []
      for (const source of sources) {
        const found = await askSource(source, args, signal)
        if (typeof found !== 'string') return present(args.query, source, found, failures)
        failures.push(`${source.name}: ${found}`)
      }
      return sources.length === 0 ? NO_SOURCE : noAnswer(failures)
    },
  })
}

/** Results, or why there are none. */
async function askSource(
  source: SearchSource,
  args: { readonly query: string; readonly max_results: number },
  signal: AbortSignal,
): Promise<readonly SearchResult[] | string> {
  const limit = AbortSignal.timeout(SOURCE_MS)
  try {
    const found = await source.search(args.query, args.max_results, AbortSignal.any([signal, limit]))
    const results = found.slice(0, args.max_results)
    if (results.length === 0) return 'no results'
    return isToThePoint(args.query, results) ? results : 'its results do not mention the query'
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) return `no answer within ${SOURCE_MS / 1_000} s`
    if (isAppError(error)) return error.message
    if (error instanceof z.ZodError) return 'an answer of another form'
    return error instanceof Error ? causeOf(error) : 'failed'
  }
}

function causeOf(error: Error): string {
  const inner = error.cause instanceof Error ? error.cause : error
  return 'code' in inner ? `not reachable (${String(inner.code)})` : error.message
}

function present(
  query: string,
  source: SearchSource,
  results: readonly SearchResult[],
  failures: readonly string[],
): ToolResult {
  const lines = results.map(({ title, url, summary }, i) =>
    [`[${i + 1}] ${title}`, url, ...(summary === '' ? [] : [summary])].join('\n'),
  )
  const others = failures.length === 0 ? '' : ` (tried before: ${failures.join('; ')})`
  const head = `${results.length} results from ${source.name} for ${JSON.stringify(query)}${others}:`
  return { ok: true, text: [head, ...lines].join('\n\n'), foreign: true }
}

const NO_SOURCE = toolError(
  'unavailable',
  'No web search is configured.',
  'The operator adds one under search.sources in yizhan.yaml (searxng, bing, brave, tavily or bocha).',
)

function noAnswer(failures: readonly string[]): ToolResult {
  return toolError(
    'unavailable',
    `No source answered. ${failures.join('; ')}.`,
    'Try other words. If it stays so, the operator should check search.sources in yizhan.yaml.',
  )
}
