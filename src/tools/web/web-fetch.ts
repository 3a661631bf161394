import { z } from 'zod'
import type { GuardedFetch, GuardedResponse } from '../../net/guarded-fetch.ts'
import { AppError, isAppError } from '../../protocol/errors.ts'
import { PICTURE_BYTES, wholePicture } from '../../protocol/picture.ts'
import type { Clock } from '../../protocol/ports.ts'
import { type AnyTool, defineTool, type ToolResult, toolError } from '../../protocol/tool.ts'
import { wholeEnd } from '../model-copy.ts'
import { oneLine } from '../one-line.ts'
import { createPageCache } from './page-cache.ts'
import { documentKind } from './reader/document-kind.ts'
import type { ReadDocument, Reader } from './reader/reader.ts'

/** Characters of one part, so that its model copy is never cut again. */
const PAGE = 7_200
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; yizhan)',
  accept: 'text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5',
  'accept-language': 'zh-CN,zh;q=0.9,en;q=0.6',
}

interface Page extends ReadDocument {
  readonly status: number
  readonly finalUrl: string
  readonly contentType: string
}

/** Keeps a page for its later parts, so that a long one is fetched once. */
export function createWebFetchTool(deps: {
  readonly fetch: GuardedFetch
  readonly reader: Reader
  readonly clock: Clock
}): AnyTool {
  const cache = createPageCache<Page>(deps.clock)
  return defineTool({
    name: 'web_fetch',
    description:
      'Reads one address of the web: a page as Markdown, PDF, Word, Excel and PowerPoint as text, pictures as pictures. Public addresses only, up to 5 MB and 20 s, long texts in parts by offset. To find addresses use web_search.',
    input: z.strictObject({
      url: z
        .string()
        .trim()
        .min(1)
        .max(2_048)
        .describe('Full http or https address, as it stands in a message or a result.')
        .meta({ examples: ['https://example.com/page'] }),
      offset: z.int().min(0).default(0).describe('Characters to skip, from an earlier result. Default 0.'),
    }),
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('web.fetch.title', { url: oneLine(args.url) }),
    bind: async (args) => ({ tool: 'web_fetch', args, url: URL.parse(args.url)?.href ?? args.url }),
    run: async (args, ctx, signal) => {
      try {
        const known = args.offset > 0 ? cache.get(ctx.sessionId, args.url) : undefined
        if (known) return present(known, args.offset)
        deps.reader.warm()
        const response = await deps.fetch(args.url, { headers: HEADERS, signal })
        const picture = pictureResult(response)
        if (picture) return picture
        const page = await readResponse(deps.reader, response, signal)
        cache.put(ctx.sessionId, args.url, page)
        return present(page, args.offset)
      } catch (error) {
        signal.throwIfAborted()
        if (!isAppError(error)) throw error
        return toolError(typeOf(error), `${error.message} (${oneLine(args.url)}).`, error.hint)
      }
    },
  })
}

/** The guard's codes in the words of tools. */
function typeOf({ code }: AppError): string {
  if (code === 'net.timeout') return 'timeout'
  if (code === 'net.too_large' || code === 'net.redirects') return 'limit'
  if (code === 'net.bad_url') return 'invalid_argument'
  if (code === 'net.unreachable') return 'unavailable'
  return code.startsWith('net.') ? 'refused' : code.replace(/^tool\./, '')
}

async function readResponse(reader: Reader, response: GuardedResponse, signal: AbortSignal): Promise<Page> {
  const contentType = response.headers['content-type'] ?? ''
  const kind = documentKind(response.body, contentType)
  if (kind === undefined) {
    throw new AppError('tool.refused', `${contentType || 'This kind of file'} cannot be read as text`, {
      hint: 'Pages, text, PDF, Word, Excel and PowerPoint files can.',
    })
  }
  const document = await reader.read(
    { kind, body: response.body, contentType, url: response.finalUrl },
    signal,
  )
  return { ...document, status: response.status, finalUrl: response.finalUrl, contentType }
}

function pictureResult({ body, finalUrl, status }: GuardedResponse): ToolResult | undefined {
  const facts = status === 200 && body.byteLength <= PICTURE_BYTES ? wholePicture(body) : undefined
  if (!facts) return undefined
  const { mime, width, height } = facts
  const image = { mime, base64: Buffer.from(body).toString('base64') }
  return {
    ok: true,
    text: `${finalUrl}\n${mime}, ${width} × ${height}, ${body.byteLength} bytes`,
    images: [image],
    foreign: true,
  }
}

function present(page: Page, offset: number): ToolResult {
  const total = page.text.length
  const from = wholeEnd(page.text, Math.min(offset, total))
  const end = wholeEnd(page.text, Math.min(from + PAGE, total))
  const shown = page.text.slice(from, end)
  const head = [
    page.finalUrl,
    ...(page.title === '' ? [] : [page.title]),
    ...(page.status === 200 ? [] : [`HTTP ${page.status}`]),
    ...(total === 0 ? ['The page holds no text; it may be drawn by scripts.'] : []),
  ].join('\n')
  const notes = [
    ...(end < total || from > 0
      ? [
          `${total} characters in total, ${shown.length} returned${end < total ? `, use offset ${end} for more` : ''}`,
        ]
      : []),
    ...(page.leftOut > 0 ? [`${page.leftOut} characters at the end were too many to keep`] : []),
  ]
  return {
    ok: true,
    text: [head, '', shown, ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])].join('\n'),
    foreign: true,
    ...(end < total ? { truncated: { total, returned: shown.length, next: end } } : {}),
  }
}
