/** A page as PDF, printed by the Chromium of this machine if there is one. Nothing is loaded: no name resolves. */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../protocol/errors.ts'

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const PRINT_MS = 30_000

export type Printer = (html: string, signal: AbortSignal) => Promise<Uint8Array>

/** Rejects with `report.no_browser` when there is nothing to print with. */
export function createPrinter(browsers: readonly string[] = BROWSERS): Printer {
  return async (html, signal) => {
    const browser = browsers.find(isExecutable)
    if (browser === undefined) throw noBrowser()
    const folder = await mkdtemp(join(tmpdir(), 'yizhan-print-'))
    try {
      await writeFile(join(folder, 'page.html'), html)
      await print(browser, folder, signal)
      return await readFile(join(folder, 'page.pdf'))
    } catch (error) {
      signal.throwIfAborted()
      throw new AppError('report.print_failed', `printing failed: ${messageOf(error)}`, {
        hint: 'Ask for xlsx instead, or start the browser by hand to see why it fails.',
        cause: error,
      })
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}

function print(browser: string, folder: string, signal: AbortSignal): Promise<void> {
  const argv = [
    ...[
      '--headless=new',
      '--disable-gpu',
      '--no-first-run',
      '--disable-extensions',
      '--disable-dev-shm-usage',
    ],
    // The page holds only our own escaped text; without this a root service could not print at all.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...['--host-resolver-rules=MAP * ~NOTFOUND'],
    ...[`--user-data-dir=${join(folder, 'profile')}`, '--no-pdf-header-footer'],
    `--print-to-pdf=${join(folder, 'page.pdf')}`,
    pathToFileURL(join(folder, 'page.html')).href,
  ]
  return new Promise((resolve, reject) => {
    const options = { timeout: PRINT_MS, killSignal: 'SIGKILL' as const, signal, env: { HOME: folder } }
    execFile(browser, argv, options, (error) => (error ? reject(error) : resolve()))
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function noBrowser(): AppError {
  return new AppError('report.no_browser', 'no Chromium to print with', {
    hint: 'Install it (Debian: apt install chromium) or ask for xlsx instead.',
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
}
