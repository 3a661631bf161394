/** One folder per session for its browser, wiped with the conversation it belongs to or by age (T5, N7). */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'browser'
const MARK = 'epoch'

/**
 * The session's browser folder, empty when it belonged to an earlier conversation or was last used more
 * than `keepMs` ago. Nothing may be running in it.
 */
export function claimProfile(
  privateDir: string,
  epoch: number,
  age: { readonly now: number; readonly keepMs: number },
): string {
  const folder = join(privateDir, FOLDER)
  if (markedEpoch(folder) !== String(epoch) || isOld(folder, age)) wipeProfile(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, MARK), String(epoch))
  return folder
}

/** Counts the age from now. */
export function touchProfile(folder: string, now: number): void {
  const mark = join(folder, MARK)
  if (existsSync(mark)) utimesSync(mark, now / 1_000, now / 1_000)
}

/** Removes the folder and everything in it. */
export function wipeProfile(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Wipes the browser folders below `privateRoot` (one folder per session) that nobody used for `keepMs`. */
export function sweepProfiles(
  privateRoot: string,
  age: { readonly now: number; readonly keepMs: number },
  inUse: (folder: string) => boolean,
): number {
  if (!existsSync(privateRoot)) return 0
  const old = readdirSync(privateRoot)
    .map((name) => join(privateRoot, name, FOLDER))
    .filter((folder) => existsSync(folder) && !inUse(folder) && isOld(folder, age))
  for (const folder of old) wipeProfile(folder)
  return old.length
}

function markedEpoch(folder: string): string | undefined {
  const mark = join(folder, MARK)
  return existsSync(mark) ? readFileSync(mark, 'utf8') : undefined
}

/** A folder without a mark was left half made: it counts as old. */
function isOld(folder: string, age: { readonly now: number; readonly keepMs: number }): boolean {
  const found = statSync(join(folder, MARK), { throwIfNoEntry: false })
  return found === undefined || age.now - found.mtimeMs > age.keepMs
}
