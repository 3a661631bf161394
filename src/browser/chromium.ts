/** Starting Chromium: in a cell, with its own sandbox on, driven through a pipe, with one way out. */
import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { CELL_HOME, type Cells } from '../sandbox/cell.ts'
import { findProgram } from '../sandbox/programs.ts'

export const VIEWPORT = { width: 1280, height: 800 } as const

const START_MS = 30_000
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const PROFILE = 'profile'

/** Path of the browser; undefined when none is installed. */
export async function findChromium(path?: string): Promise<string | undefined> {
  for (const name of NAMES) {
    const found = await findProgram(name, path)
    if (found !== undefined) return found
  }
  return undefined
}

export interface ChromiumStart {
  /** The cell's folder: the profile stays in it between starts. */
  readonly folder: string
  readonly executable: string
  /** Port of the egress proxy on 127.0.0.1. */
  readonly proxyPort: number
  readonly cells: Cells
}

/** Starts it; rejects with what Chromium or the cell said. */
export async function startChromium(start: ChromiumStart): Promise<BrowserContext> {
  const { chromium } = await import('playwright-core')
  const launch = await start.cells.launch({
    folder: start.folder,
    network: 'host',
    nests: true,
    env: {},
    argv: [start.executable, ...chromiumFlags(start.proxyPort)],
  })
  const profile = prepareProfile(start.folder)
  return chromium.launchPersistentContext(profile, {
    executablePath: launch.file,
    // All of them are written below: what is started must not depend on a library's defaults.
    ignoreDefaultArgs: true,
    args: [...launch.args],
    env: {},
    timeout: START_MS,
    viewport: VIEWPORT,
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    acceptDownloads: false,
    serviceWorkers: 'block',
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
}

/** Pure. The comment at each flag that guards something says what. */
export function chromiumFlags(proxyPort: number): string[] {
  return [
    '--headless=new',
    // Descriptors 3 and 4: no port on which another process could drive the browser (N7).
    '--remote-debugging-pipe',
    `--user-data-dir=${CELL_HOME}/${PROFILE}`,
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    // By default loopback would go around the proxy.
    '--proxy-bypass-list=<-loopback>',
    // What does not go through the proxy cannot even find an address.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--disable-extensions',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--allow-browser-signin=false',
    '--disable-breakpad',
    '--disable-field-trial-config',
    '--metrics-recording-only',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-pings',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-back-forward-cache',
    '--disable-hang-monitor',
    '--disable-search-engine-choice-screen',
    '--disable-features=HttpsUpgrades,Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,DialMediaRouteProvider',
    '--force-color-profile=srgb',
    '--password-store=basic',
    '--use-mock-keychain',
    '--mute-audio',
    '--hide-scrollbars',
    'about:blank',
  ]
}

/** Switches that only a profile has: PDF files are not opened, nothing is saved, no passwords are kept. */
const PREFERENCES = {
  plugins: { always_open_pdf_externally: true },
  webrtc: { ip_handling_policy: 'disable_non_proxied_udp', multiple_routes_enabled: false },
  credentials_enable_service: false,
  signin: { allowed: false, allowed_on_next_startup: false },
  profile: { password_manager_enabled: false },
  safebrowsing: { enabled: false },
  dns_prefetching: { enabled: false },
}

function prepareProfile(folder: string): string {
  const home = join(folder, 'home')
  const profile = join(home, PROFILE)
  const preferences = join(profile, 'Default', 'Preferences')
  if (existsSync(preferences)) return profile
  const { uid, gid } = statSync(home)
  mkdirSync(join(profile, 'Default'), { recursive: true, mode: 0o700 })
  writeFileSync(preferences, JSON.stringify(PREFERENCES), { mode: 0o600 })
  for (const path of [profile, join(profile, 'Default'), preferences]) chownSync(path, uid, gid)
  return profile
}
