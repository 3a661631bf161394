/** Real Chromium for tests, from the system's own package. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/** True when there is a browser; tests skip loudly otherwise. */
export const hasChromium = EXECUTABLE !== undefined

/** Starts it with nothing that talks to the outside. */
export async function launchChromium(): Promise<Browser> {
  if (EXECUTABLE === undefined) throw new Error('no Chromium: apt-get install chromium')
  return await chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
