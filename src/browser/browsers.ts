/**
 * One Chromium per session, with a profile of its own. This room knows processes, profiles and which
 * addresses a browser may reach; it refuses to know what a page is for and who may browse.
 */
import type { BrowserContext } from 'playwright-core'
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import type { Cells, Lack } from '../sandbox/cell.ts'
import {
  createSessionPrograms,
  type Owner,
  type SessionProgram,
  type SessionPrograms,
} from '../sandbox/session-programs.ts'
import { findChromium, startChromium } from './chromium.ts'
import { type Egress, type EgressRule, openEgress } from './egress.ts'
import { claimProfile, sweepProfiles, touchProfile, wipeProfile } from './profile.ts'
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
  readonly epoch: (sessionId: string) => Promise<number>
  readonly clock: Clock
  readonly logger: Logger
  /** Folder that holds one private folder per session. */
  readonly privateRoot: string
  /** Where programs are looked for, as `PATH` writes it. */
  readonly path?: string
}

/** A running Chromium with what is known about its session's browsing. */
export interface SessionBrowser extends SessionProgram {
  readonly tabs: Tabs
  readonly egress: Egress
  readonly rule: EgressRule
  readonly clock: Clock
  /** Hosts that were shown since it was opened. */
  readonly hosts: Set<string>
  isGone(): boolean
}

/** The browsers of all sessions, one each. */
export interface Browsers extends SessionPrograms<SessionBrowser> {
  /** Why no browser can be opened here, with the remedy; undefined when one can. */
  problem(): Promise<Lack | undefined>
  /** Wipes profiles that nobody used for long. */
  sweep(): void
}

const NO_CHROMIUM: Lack = {
  key: 'chromium',
  params: {},
  message: 'Chromium is not installed. Install it: apt-get install chromium',
}

/** Why no browser can be opened on this machine, with the remedy. */
export async function browserProblem(
  cells: Pick<Cells, 'problem'>,
  path?: string,
): Promise<Lack | undefined> {
  return (await findChromium(path)) === undefined ? NO_CHROMIUM : cells.problem()
}

/** Starts nothing by itself. Opening rejects with `tool.unavailable` where Chromium is missing or does not start. */
export function createBrowsers(deps: BrowsersDeps): Browsers {
  /** Profile folders in use. */
  const folders = new Set<string>()
  const age = () => ({ now: deps.clock.now(), keepMs: deps.limits.keepMs })
  const open = async (owner: Owner, epoch: number): Promise<SessionBrowser> => {
    const executable = await findChromium(deps.path)
    if (executable === undefined) throw unavailable(NO_CHROMIUM.message)
    const folder = claimProfile(owner.privateDir, epoch, age())
    folders.add(folder)
    try {
      const browser = await start({ executable, folder }, deps)
      void browser.gone.then(() => {
        folders.delete(folder)
        touchProfile(folder, deps.clock.now())
      })
      return browser
    } catch (error) {
      folders.delete(folder)
      deps.logger.warn({ session: owner.sessionId, error }, 'a browser could not be opened')
      throw error
    }
  }
  const sessionPrograms = createSessionPrograms({
    ...deps,
    ...deps.limits,
    noun: 'browser',
    howToOpen: 'Open a page with browser_navigate.',
    open,
  })
  return {
    ...sessionPrograms,
    problem: () => browserProblem(deps.cells, deps.path),
    sweep: () => {
      const wiped = sweepProfiles(deps.privateRoot, age(), (folder) => folders.has(folder))
      if (wiped > 0) deps.logger.info({ wiped }, 'old browser profiles were wiped')
    },
  }
}

async function start(
  place: { readonly executable: string; readonly folder: string },
  deps: BrowsersDeps,
): Promise<SessionBrowser> {
  const egress = await openEgress(deps.rule)
  try {
    const context = await startChromium({ ...place, proxyPort: egress.port, cells: deps.cells })
    return furnish(context, egress, place.folder, deps)
  } catch (error) {
    await egress.close()
    if (error instanceof AppError) throw error
    const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw unavailable(`Chromium did not start: ${detail}`, error)
  }
}

function furnish(
  context: BrowserContext,
  egress: Egress,
  folder: string,
  deps: BrowsersDeps,
): SessionBrowser {
  let isGone = false
  const gone = new Promise<void>((resolve) => {
    context.once('close', () => {
      isGone = true
      void egress.close().then(resolve)
    })
  })
  return {
    gone,
    egress,
    rule: deps.rule,
    clock: deps.clock,
    hosts: new Set(),
    tabs: createTabs(context, deps.rule),
    isGone: () => isGone,
    close: async (forget) => {
      // A browser that hangs is killed by the driver's own time limit; one that is gone needs no closing.
      await context.close().catch(() => undefined)
      await egress.close()
      if (forget) wipeProfile(folder)
    },
  }
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError('tool.unavailable', reason, { hint: 'Tell the person; an operator can fix it.', cause })
}
