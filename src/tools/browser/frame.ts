/**
 * What every browser tool does around its own work: find the tab, refuse one whose address may not be
 * shown, let the page settle, judge all tabs again, and say what happened that nobody asked for.
 */
import type { Locator, Page } from 'playwright-core'
import { z } from 'zod'
import type { Browsers, SessionBrowser } from '../../browser/browsers.ts'
import { refusalOf } from '../../browser/tabs.ts'
import { AppError, isAppError } from '../../protocol/errors.ts'
import { type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'

/** Group of tools that are asked for as one, and the name in the approval. */
export const GROUP = 'browser'

export const tabArgument = z
  .string()
  .regex(/^t\d+$/, 'a tab such as t1')
  .optional()
  .describe('Tab, as browser_tabs lists them. Default: the active one.')
  .meta({ examples: ['t1'] })

export const refArgument = z
  .string()
  .regex(/^(f\d+)?e\d+$/, 'a ref of browser_snapshot such as e5 or f1e3')
  .describe('Element, by its ref in the newest browser_snapshot.')
  .meta({ examples: ['e5'] })

/** Longest that one act on a page may take, milliseconds. */
export const ACT_MS = 10_000
/** What a click sets off usually starts within this; milliseconds. */
const REACTION_MS = 250
const LOAD_MS = 5_000

export interface TabWork {
  readonly page: Page
  readonly id: string
  readonly browser: SessionBrowser
}

/** The session's browser with one tab of it. `work` says what it did; this adds where the page is now. */
export async function onTab(
  browsers: Browsers,
  ctx: ToolContext,
  tab: string | undefined,
  work: (tab: TabWork) => Promise<ToolResult>,
): Promise<ToolResult> {
  return inBrowser(browsers, ctx, false, async (browser) => {
    const { id, page } = browser.tabs.find(tab)
    const refused = await refusalOf(page.url(), browser.rule)
    if (refused !== undefined) {
      await browser.tabs.review()
      throw blocked(page.url(), refused)
    }
    return work({ page, id, browser })
  })
}

/** Runs `work`, then judges every tab and adds what happened beside it. Failures are results. */
export async function inBrowser(
  browsers: Browsers,
  ctx: ToolContext,
  open: boolean,
  work: (browser: SessionBrowser) => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await browsers.use(ctx, open, async (browser) => {
      const result = await work(browser).catch((error: unknown) => failureOf(error, browser.isGone()))
      if (browser.isGone()) return result.ok ? ended() : result
      await browser.tabs.review()
      for (const { page } of browser.tabs.list()) rememberHost(browser, page.url())
      return withNews(result, browser)
    })
  } catch (error) {
    return failureOf(error, false)
  }
}

function rememberHost(browser: SessionBrowser, url: string): void {
  const host = URL.parse(url)?.host
  if (host !== undefined && host !== '') browser.hosts.add(host)
}

/** The element of a ref; rejects at once when the page has none, instead of waiting for it to come. */
export async function elementOf(page: Page, ref: string): Promise<Locator> {
  const element = page.getByRef(ref)
  if ((await element.count()) > 0) return element
  throw new AppError('tool.not_found', `There is no element "${ref}" on the page now.`, {
    hint: 'Take a new browser_snapshot: refs hold until the page changes.',
  })
}

/** Waits until what an act set off has been loaded, or not much longer than people would. */
export async function settle({ page, browser }: TabWork): Promise<void> {
  await browser.clock.sleep(REACTION_MS)
  // A page that goes on loading for ever is shown as it is.
  await page.waitForLoadState('load', { timeout: LOAD_MS }).catch(() => undefined)
}

/** One line that says where a tab is. */
export async function whereabouts({ page, id }: Pick<TabWork, 'page' | 'id'>): Promise<string> {
  const title = await page.title().catch(() => '')
  return `Tab ${id}: ${page.url()}${title === '' ? '' : ` — ${title.slice(0, 200)}`}`
}

function withNews(result: ToolResult, browser: SessionBrowser): ToolResult {
  const notices = browser.tabs.takeNotices()
  const refusals = browser.egress
    .takeRefusals()
    .map(({ host, code, hint }) => `Not loaded: ${host} (${code}). ${hint}`)
  const news = [...notices, ...refusals]
  if (news.length === 0) return result
  if (result.ok) return { ...result, text: [result.text, ...news].join('\n') }
  const { type, message, hint } = result.error
  return toolError(type, [message, ...news].join('\n'), hint)
}

export function blocked(url: string, code: string): AppError {
  return new AppError('tool.refused', `${url} may not be shown (${code}).`, {
    hint: 'Only public web pages and hosts that an operator named in browser.allow may be opened.',
  })
}

function ended(): ToolResult {
  return toolError(
    'failed',
    'The browser has ended unexpectedly; its pages are gone.',
    'Open the page again with browser_navigate, which starts a new one.',
  )
}

/** What playwright threw, without its colours and its log. */
function failureOf(error: unknown, gone: boolean): ToolResult {
  if (gone) return ended()
  if (isAppError(error)) {
    const type = error.code.startsWith('net.') ? 'refused' : error.code.replace(/^tool\./, '')
    return toolError(type, error.message, error.hint)
  }
  if (!(error instanceof Error)) throw error
  const line = firstLine(error.message)
  if (/has been closed|crashed|Target closed/i.test(line)) {
    return toolError(
      'failed',
      `The tab is gone: ${line}`,
      'List the tabs with browser_tabs, or open the page again.',
    )
  }
  if (error.name === 'TimeoutError') {
    return toolError('timeout', line, 'Take a new browser_snapshot: the page may look different by now.')
  }
  return toolError('failed', line, 'Take a new browser_snapshot and look what is there now.')
}

function firstLine(message: string): string {
  const plain = message.replace(/\u001b\[[0-9;]*m/g, '')
  return (plain.split('\n')[0] ?? '').slice(0, 300)
}
