/**
 * One Chromium per session, opened at first use and closed when idle. This room knows processes, profiles
 * and which addresses a browser may reach; it refuses to know what a page is for and who may browse.
 */
import type { BrowserContext } from 'playwright-core'
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import type { Cells } from '../sandbox/cell.ts'
import { findChromium, startChromium } from './chromium.ts'
import { type Egress, type EgressRule, openEgress } from './egress.ts'
import { claimProfile, sweepProfiles, wipeProfile } from './profile.ts'
import { createTabs, type Tabs } from './tabs.ts'

export interface BrowserLimits {
  /** Browsers of all sessions together. */
  readonly max: number
  readonly idleMs: number
  /** How long a closed browser's profile is kept, cookies and all. */
  readonly keepMs: number
}

export interface BrowsersDeps {
  readonly rule: EgressRule
  readonly limits: BrowserLimits
  readonly cells: Cells
  /** Number of the session's conversation: `/new` raises it, and a browser of an earlier one is wiped. */
  readonly epoch: (sessionId: string) => Promise<number>
  readonly clock: Clock
  readonly logger: Logger
  /** Folder that holds one private folder per session. */
  readonly privateRoot: string
}

export interface SessionBrowser {
  readonly tabs: Tabs
  readonly egress: Egress
  readonly rule: EgressRule
  readonly clock: Clock
  /** Hosts that were shown since it was opened. */
  readonly hosts: Set<string>
  /** True once Chromium is gone, whoever ended it. */
  gone(): boolean
}

export interface BrowserOwner {
  readonly sessionId: string
  readonly privateDir: string
}

export interface Browsers {
  /** Why no browser can be opened here, with the remedy; undefined when one can. */
  problem(): Promise<string | undefined>
  /** Runs `work` with the session's browser, which is opened when `open` is true and none is. */
  use<T>(owner: BrowserOwner, open: boolean, work: (browser: SessionBrowser) => Promise<T>): Promise<T>
  /** Looks into a session's browser without opening one; undefined when none is open. */
  peek<T>(sessionId: string, look: (browser: SessionBrowser) => Promise<T>): Promise<T | undefined>
  /** Wipes profiles that nobody used for long. */
  sweep(): void
  /** Closes all. */
  stop(): Promise<void>
}

interface Opened extends SessionBrowser {
  readonly context: BrowserContext
  readonly folder: string
  readonly epoch: number
  busy: number
  usedAt: number
  cancelIdle: () => void
}

export const INSTALL_CHROMIUM = 'Chromium is not installed. Install it: apt-get install chromium'

export function createBrowsers(deps: BrowsersDeps): Browsers {
  const opened = new Map<string, Promise<Opened>>()
  /** Profile folders in use. */
  const folders = new Set<string>()
  const { clock, logger } = deps
  const close = async (sessionId: string, wipe: boolean): Promise<void> => {
    const found = opened.get(sessionId)
    opened.delete(sessionId)
    const browser = await found?.catch(() => undefined)
    if (browser) await shut(browser, wipe || (await deps.epoch(sessionId)) !== browser.epoch)
  }
  const open = async (owner: BrowserOwner, epoch: number): Promise<Opened> => {
    const executable = await findChromium()
    if (executable === undefined) throw unavailable(INSTALL_CHROMIUM)
    const age = { now: clock.now(), keepMs: deps.limits.keepMs }
    const folder = claimProfile(owner.privateDir, epoch, age)
    const browser = await start({ executable, folder, epoch }, deps)
    folders.add(folder)
    browser.context.once('close', () => {
      folders.delete(folder)
      browser.cancelIdle()
      void browser.egress.close()
      opened.delete(owner.sessionId)
    })
    return browser
  }
  const ensure = async (owner: BrowserOwner): Promise<Opened> => {
    const epoch = await deps.epoch(owner.sessionId)
    const before = await opened.get(owner.sessionId)?.catch(() => undefined)
    if (before && before.epoch !== epoch) await close(owner.sessionId, true)
    const known = await opened.get(owner.sessionId)
    if (known) return known
    if (opened.size >= deps.limits.max) await makeRoom(opened, close, deps.limits.max)
    const opening = open(owner, epoch)
    opened.set(owner.sessionId, opening)
    opening.catch((error: unknown) => {
      opened.delete(owner.sessionId)
      logger.warn({ session: owner.sessionId, error }, 'a browser could not be opened')
    })
    return opening
  }
  return {
    problem: async () => {
      if ((await findChromium()) === undefined) return INSTALL_CHROMIUM
      return deps.cells.problem()
    },
    peek: async (sessionId, look) => {
      const browser = await opened.get(sessionId)?.catch(() => undefined)
      return browser && look(browser)
    },
    use: async (owner, mayOpen, work) => {
      if (!mayOpen && !opened.has(owner.sessionId)) throw nothingOpen()
      const browser = await ensure(owner)
      browser.cancelIdle()
      browser.busy++
      try {
        return await work(browser)
      } finally {
        browser.busy--
        browser.usedAt = clock.monotonic()
        if (browser.busy === 0 && !browser.gone()) {
          browser.cancelIdle()
          browser.cancelIdle = clock.after(deps.limits.idleMs, () => void close(owner.sessionId, false))
        }
      }
    },
    sweep: () => {
      const age = { now: clock.now(), keepMs: deps.limits.keepMs }
      const wiped = sweepProfiles(deps.privateRoot, age, (folder) => folders.has(folder))
      if (wiped > 0) logger.info({ wiped }, 'old browser profiles were wiped')
    },
    stop: async () => {
      await Promise.all([...opened.keys()].map((sessionId) => close(sessionId, false)))
    },
  }
}

async function start(
  place: { readonly executable: string; readonly folder: string; readonly epoch: number },
  deps: BrowsersDeps,
): Promise<Opened> {
  const egress = await openEgress(deps.rule)
  try {
    const context = await startChromium({ ...place, proxyPort: egress.port, cells: deps.cells })
    let isGone = false
    context.once('close', () => {
      isGone = true
    })
    return {
      ...place,
      context,
      egress,
      rule: deps.rule,
      clock: deps.clock,
      hosts: new Set(),
      tabs: createTabs(context, deps.rule),
      gone: () => isGone,
      busy: 0,
      usedAt: deps.clock.monotonic(),
      cancelIdle: () => undefined,
    }
  } catch (error) {
    await egress.close()
    if (error instanceof AppError) throw error
    const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw unavailable(`Chromium did not start: ${detail}`, error)
  }
}

async function shut(browser: Opened, wipe: boolean): Promise<void> {
  browser.cancelIdle()
  // A browser that hangs is killed by its own timeout inside; one that is gone needs no closing.
  await browser.context.close().catch(() => undefined)
  await browser.egress.close()
  if (wipe) wipeProfile(browser.folder)
}

/** Closes the browser that was idle longest; rejects with `tool.limit` when all are at work. */
async function makeRoom(
  opened: ReadonlyMap<string, Promise<Opened>>,
  close: (sessionId: string, wipe: boolean) => Promise<void>,
  max: number,
): Promise<void> {
  const all = await Promise.all(
    [...opened].map(async ([sessionId, opening]) => ({
      sessionId,
      browser: await opening.catch(() => undefined),
    })),
  )
  const idle = all
    .filter(({ browser }) => browser?.busy === 0)
    .sort((a, b) => (a.browser?.usedAt ?? 0) - (b.browser?.usedAt ?? 0))[0]
  if (idle) return close(idle.sessionId, false)
  throw new AppError('tool.limit', `${max} browsers are at work in other chats.`, {
    hint: 'Try again in a minute. An operator may raise browser.max.',
  })
}

function nothingOpen(): AppError {
  return new AppError('tool.not_found', 'No page is open.', {
    hint: 'Open one with browser_navigate. A browser is closed after a while without use.',
  })
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError('tool.unavailable', reason, { hint: 'Tell the person; an operator can fix it.', cause })
}
