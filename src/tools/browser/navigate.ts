import { z } from 'zod'
import type { Browsers, SessionBrowser } from '../../browser/browsers.ts'
import { judgeUrl } from '../../browser/egress.ts'
import { defineTool, type ToolResult, toolError } from '../../protocol/tool.ts'
import { GROUP, inBrowser, settle, whereabouts } from './frame.ts'

const LOAD_MS = 20_000
/** A path longer than this may carry something out, as a query may. */
const PLAIN_PATH_CHARS = 100

export function createNavigateTool(browsers: Browsers) {
  return defineTool({
    name: 'browser_navigate',
    description:
      'Opens a web page in the browser of this chat, for pages that need clicks, forms or scripts; to just read a page, web_fetch is faster. ' +
      'Public addresses and those an operator allowed. Then look at it with browser_snapshot. The browser is asked for once per session.',
    input: z.strictObject({
      url: z
        .string()
        .min(1)
        .max(2_000)
        .describe('Address; https:// is added when there is no scheme.')
        .meta({ examples: ['https://example.com'] }),
      new_tab: z.boolean().default(false).describe('Open it beside the active tab. Default false.'),
    }),
    readOnly: false,
    risk: 'control',
    group: GROUP,
    title: (args, text) => text('tools.browser_navigate.title', { url: args.url.slice(0, 200) }),
    bind: async (args, ctx) => {
      const url = URL.parse(withScheme(args.url))
      const known = await browsers.peek(ctx.sessionId, async (browser) => browser.hosts)
      const carries =
        url !== null && !known?.has(url.host) && (url.search !== '' || url.pathname.length > PLAIN_PATH_CHARS)
      return { tool: 'browser_navigate', args, ...(carries ? { carriesOut: true } : {}) }
    },
    run: (args, ctx) =>
      inBrowser(browsers, ctx, true, async (browser) =>
        navigate(browser, withScheme(args.url), args.new_tab),
      ),
  })
}

function withScheme(url: string): string {
  return /^([a-z][a-z0-9+.-]*:\/\/|(about|blob|chrome|data|file|javascript|view-source):)/i.test(url)
    ? url
    : `https://${url}`
}

async function navigate(browser: SessionBrowser, text: string, newTab: boolean): Promise<ToolResult> {
  const { url } = await judgeUrl(text, browser.rule)
  browser.egress.takeRefusals()
  const { id, page } = newTab ? await browser.tabs.open() : browser.tabs.active()
  try {
    const response = await page.goto(url.href, { waitUntil: 'load', timeout: LOAD_MS })
    const tab = { id, page, browser }
    await settle(tab)
    await browser.tabs.review()
    if (page.isClosed()) {
      return toolError(
        'refused',
        `${url.href} led to an address that may not be shown.`,
        'Open another page.',
      )
    }
    const status = response === null ? '' : ` (HTTP ${response.status()})`
    return { ok: true, text: `${await whereabouts(tab)}${status}`, foreign: true }
  } catch (error) {
    return notLoaded(error, url)
  }
}

function notLoaded(error: unknown, url: URL): ToolResult {
  if (!(error instanceof Error)) throw error
  if (error.name === 'TimeoutError') {
    return {
      ok: true,
      text: `${url.href} is still loading after ${LOAD_MS / 1_000} s; it can be looked at as it is.`,
      foreign: true,
    }
  }
  if (error.message.includes('Download is starting') || error.message.includes('ERR_ABORTED')) {
    return toolError(
      'refused',
      `${url.href} is a download, not a page.`,
      'Read it with web_fetch; downloads are not kept by the browser.',
    )
  }
  const code = /net::(ERR_[A-Z_]+)/.exec(error.message)?.[1] ?? 'ERR_FAILED'
  // The proxy refuses a tunnel, or answers 403, to what may not be reached; the news say which host.
  const type = code === 'ERR_TUNNEL_CONNECTION_FAILED' ? 'refused' : 'failed'
  return toolError(type, `${url.href} could not be loaded (${code}).`, 'Check the address.')
}
