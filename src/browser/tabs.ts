/**
 * The tabs of one browser: names, bounds, and what happened in them that nobody asked for. Every tab is
 * judged again after each act, because pages move by themselves (N7).
 */
import type { BrowserContext, Dialog, Page } from 'playwright-core'
import { AppError, isAppError } from '../protocol/errors.ts'
import { type EgressRule, judgeUrl } from './egress.ts'

export interface Tab {
  readonly id: string
  readonly page: Page
}

export interface Tabs {
  list(): readonly Tab[]
  active(): Tab
  activate(id: string): Promise<Tab>
  open(): Promise<Tab>
  close(id: string): Promise<void>
  /** The tab by id, or the active one; rejects with `tool.not_found`. */
  find(id: string | undefined): Tab
  /** Sends every tab with an address that may not be shown to a blank page, and says so. */
  review(): Promise<void>
  /** What happened since the last call: dialogs, downloads, popups, refused pages. */
  takeNotices(): readonly string[]
}

const MAX_TABS = 8
const MAX_NOTICES = 20
const MAX_NOTICE_CHARS = 300

export function createTabs(context: BrowserContext, rule: EgressRule): Tabs {
  const tabs = new Map<string, Page>()
  const notices: string[] = []
  let next = 1
  let activeId = ''
  const note = (text: string): void => {
    if (notices.length < MAX_NOTICES) notices.push(text.slice(0, MAX_NOTICE_CHARS))
  }
  const add = (page: Page): Tab => {
    const known = [...tabs].find(([, one]) => one === page)
    if (known) return { id: known[0], page }
    const id = `t${next++}`
    tabs.set(id, page)
    activeId = id
    page.once('close', () => {
      tabs.delete(id)
      if (activeId === id) activeId = [...tabs.keys()].at(-1) ?? ''
    })
    watch(page, note)
    return { id, page }
  }
  context.on('page', (page) => {
    if (tabs.size < MAX_TABS) {
      note(`A new tab opened: ${add(page).id}.`)
      return
    }
    note(`A new tab was closed again: more than ${MAX_TABS} are not kept.`)
    // It may be gone already.
    void page.close().catch(() => undefined)
  })
  for (const page of context.pages()) add(page)
  const find = (id: string | undefined): Tab => {
    const wanted = id ?? activeId
    const page = tabs.get(wanted)
    if (page) return { id: wanted, page }
    throw new AppError('tool.not_found', id === undefined ? 'No tab is open.' : `There is no tab "${id}".`, {
      hint: `browser_tabs lists them: ${[...tabs.keys()].join(', ') || 'none; open one with browser_navigate'}.`,
    })
  }
  return {
    list: () => [...tabs].map(([id, page]) => ({ id, page })),
    active: () => find(undefined),
    find,
    activate: async (id) => {
      const tab = find(id)
      activeId = id
      await tab.page.bringToFront()
      return tab
    },
    open: async () => {
      if (tabs.size >= MAX_TABS) {
        throw new AppError('tool.limit', `${MAX_TABS} tabs are open, more are not kept.`, {
          hint: 'Close one with browser_tabs, or navigate in the active tab.',
        })
      }
      const tab = add(await context.newPage())
      takeOwnNotice(notices, tab.id)
      return tab
    },
    close: async (id) => find(id).page.close(),
    review: async () => {
      for (const { id, page } of [...tabs].map(([key, one]) => ({ id: key, page: one }))) {
        const refused = await refusalOf(page.url(), rule)
        if (refused === undefined) continue
        note(`Tab ${id} had gone to an address that may not be shown (${refused}); it was closed.`)
        await page.close()
      }
      if (tabs.size === 0) {
        add(await context.newPage())
        notices.splice(0, notices.length, ...notices.filter((text) => !text.startsWith('A new tab opened')))
      }
    },
    takeNotices: () => notices.splice(0),
  }
}

/** A tab opened on purpose is no news. */
function takeOwnNotice(notices: string[], id: string): void {
  const at = notices.indexOf(`A new tab opened: ${id}.`)
  if (at >= 0) notices.splice(at, 1)
}

/** Why an address may not be shown; undefined when it may. Only web pages and the blank page may. */
export async function refusalOf(url: string, rule: EgressRule): Promise<string | undefined> {
  if (url === '' || url === 'about:blank') return undefined
  // What Chromium shows when a page could not be loaded; it holds nothing of that page.
  if (url === 'chrome-error://chromewebdata/') return undefined
  try {
    await judgeUrl(url, rule)
    return undefined
  } catch (error) {
    if (isAppError(error)) return error.code
    // A name that does not resolve any more cannot be judged; what it showed stays readable.
    return undefined
  }
}

function watch(page: Page, note: (text: string) => void): void {
  page.on('dialog', (dialog) => void answer(dialog, note))
  page.on('download', (download) => {
    note(`A download was refused: ${download.suggestedFilename()}. Use web_fetch to read a file of the web.`)
  })
  page.on('crash', () => note('The page crashed; load it again.'))
}

/** Nobody can answer a dialog: it is said and closed, so that the page goes on. */
async function answer(dialog: Dialog, note: (text: string) => void): Promise<void> {
  const { accept, verb } =
    dialog.type() === 'alert' || dialog.type() === 'beforeunload'
      ? { accept: true, verb: 'closed' }
      : { accept: false, verb: 'cancelled' }
  note(`The page showed a ${dialog.type()} dialog, ${verb}: ${dialog.message()}`)
  try {
    await (accept ? dialog.accept() : dialog.dismiss())
  } catch {
    // The page took it away first.
  }
}
