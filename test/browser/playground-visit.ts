/** Visits to the built playground in Chromium, each with a scene of its own. */
import { rm } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchChromium } from './chromium.ts'
import { buildPages, type Site, serveSite } from './playground-site.ts'
import { createScene, type Scene } from './scene.ts'

const DESKTOP: BrowserContextOptions = { viewport: { width: 1360, height: 860 }, locale: 'zh-CN' }

export interface PlaygroundVisit {
  readonly browser: Browser
  readonly scene: Scene
  site: Site
  /** What the console complained about; anything left here at the end of a test fails it. */
  readonly problems: string[]
  /** Serves the page at its old port, once the site was closed. */
  serveAgain(): Promise<void>
}

/** For a block of tests: what stands at `visit` is new for each of them. */
export function playgroundVisits() {
  let browser: Browser
  let pages: string
  let visit: PlaygroundVisit

  beforeAll(async () => {
    pages = await buildPages()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    await rm(pages, { recursive: true })
  })
  beforeEach(async () => {
    const scene = createScene()
    const serve = (port?: number): Promise<Site> => serveSite(pages, [scene.feishu, scene.wecom], port)
    const serveAgain = async (): Promise<void> => {
      visit.site = await serve(visit.site.port)
    }
    visit = { browser, scene, site: await serve(), problems: [], serveAgain }
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    await visit.site.close()
    expect(visit.problems).toEqual([])
  })
  return {
    visit: (): PlaygroundVisit => visit,
    open: (options?: BrowserContextOptions): Promise<Page> => openPage(visit, options),
  }
}

/** Opens the page; whatever the console complains about fails the test, violations of the policy included. */
async function openPage(
  { browser, site, problems }: PlaygroundVisit,
  options: BrowserContextOptions = DESKTOP,
): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') problems.push(line.text())
  })
  await page.goto(site.url)
  await page.getByRole('heading', { level: 1, name: '运维值班群' }).waitFor()
  return page
}
