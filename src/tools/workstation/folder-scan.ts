/**
 * Reads folders entry by entry in bounded memory and without stopping the event loop. Goes through open
 * descriptors, so that a folder exchanged for a link meanwhile leads nowhere.
 */
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from '../workspace-path.ts'

/** Entries kept for sorting and paging; further ones are only counted. */
const MOST_KEPT = 200_000
/** More than asked for are gathered before the first by name are picked: picking each time would be slow. */
const SPARE = 1_024
/** Entries looked at before the scan ends early. */
const MOST_SEEN = 1_000_000
const MOST_DEPTH = 64
const READ_AHEAD = 512
/** A synchronous `lstat` takes a few microseconds; this many of them take about a millisecond. */
const STATS_AT_ONCE = 256

export interface Entry {
  /** Relative to the folder that was asked for. */
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

export interface Scan {
  readonly entries: Entry[]
  readonly total: number
  /** Entries left out because their name begins with a dot. */
  readonly hidden: number
  /** False when there was more than is ever looked at. */
  readonly complete: boolean
}

export interface ScanOptions {
  readonly recursive: boolean
  readonly hidden: boolean
  /** Only so many are wanted, the first by name; without it any 200,000. */
  readonly first?: number
}

export const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : 1)

/**
 * Entries of a folder inside the workspace, in no order; links are listed, never followed. `read` tells the
 * entries of one folder by its path.
 */
export async function scanFolder(
  workspace: string,
  folder: string,
  options: ScanOptions,
  signal: AbortSignal,
  read: (path: string) => Iterable<Named> = readEntries,
): Promise<Scan> {
  const entries: Entry[] = []
  const first = options.first === undefined ? undefined : Math.min(options.first, MOST_KEPT)
  const queue = ['']
  let [total, hidden, seen] = [0, 0, 0]
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    const open = await openFolder(workspace, join(folder, way), way === '' ? '.' : way)
    try {
      for (const entry of read(open.at('.'))) {
        if (++seen > MOST_SEEN) return { entries, total, hidden, complete: false }
        if (seen % READ_AHEAD === 0) await turn(signal)
        if (!options.hidden && entry.name.startsWith('.')) {
          hidden++
          continue
        }
        total++
        const name = way === '' ? entry.name : `${way}/${entry.name}`
        if (first !== undefined || entries.length < MOST_KEPT) entries.push({ name, kind: kindOf(entry) })
        if (first !== undefined && entries.length >= 2 * first + SPARE) entries.sort(byName).length = first
        if (options.recursive && entry.isDirectory() && name.split('/').length < MOST_DEPTH) queue.push(name)
      }
    } finally {
      await open.handle.close()
    }
  }
  return { entries, total, hidden, complete: true }
}

/** Read without promises: for very many entries they would cost more than the reading. */
function* readEntries(path: string): Generator<Dirent> {
  const folder = opendirSync(path, { bufferSize: READ_AHEAD })
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry
  } finally {
    folder.closeSync()
  }
}

/** What the names are; undefined for those that are gone meanwhile. */
export async function statAll(
  workspace: string,
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<(Stats | undefined)[]> {
  const open = await openFolder(workspace, folder)
  const found: (Stats | undefined)[] = []
  try {
    for (const [index, name] of names.entries()) {
      if (index % STATS_AT_ONCE === STATS_AT_ONCE - 1) await turn(signal)
      found.push(lstatSync(open.at(name), { throwIfNoEntry: false }))
    }
  } finally {
    await open.handle.close()
  }
  return found
}

/** Lets other work of the service go first. */
async function turn(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve) => setImmediate(resolve))
}

interface Named extends Kinds {
  readonly name: string
}

interface Kinds {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

export function kindOf(entry: Kinds): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
