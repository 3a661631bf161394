/**
 * Files that the service (root) put into a workspace must belong to the sandbox's user, or commands
 * could neither read nor change them. Rule: whatever lies in a workspace belongs to its folder's owner.
 */
import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../protocol/ports.ts'

export interface Claimer {
  /**
   * Gives root's entries under `path` to the account, nearest first, at most 5,000 looked at. Symbolic
   * links are given away themselves, never followed; a file with a second name stays as it is.
   */
  claim(path: string, uid: number, gid: number): void
}

/** Entries looked at before a command; deeper and later ones were made by the sandbox itself. */
const MOST = 5_000
const REMEMBERED = 1_000
/** File systems stamp times by a coarse clock. */
const SLACK_MS = 2_000

/** Remembers when each workspace was claimed, to look only into folders that changed since. */
export function createClaimer(clock: Clock): Claimer {
  const claimed = new Map<string, number>()
  return {
    claim(path, uid, gid) {
      const since = claimed.get(path) ?? Number.NEGATIVE_INFINITY
      if (claimed.size >= REMEMBERED) claimed.clear()
      claimed.set(path, clock.now() - SLACK_MS)
      give(path, uid, gid)
      let budget = MOST
      const queue = [path]
      for (let next = queue.shift(); next !== undefined && budget > 0; next = queue.shift()) {
        budget -= claimFolder(next, { uid, gid, since }, queue)
      }
    },
  }
}

/** Claims the entries of one folder if it has changed, and queues the folders in it. */
function claimFolder(
  folder: string,
  by: { readonly uid: number; readonly gid: number; readonly since: number },
  queue: string[],
): number {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return 1
  const changed = found.mtimeMs >= by.since
  const entries = readdirSync(folder, { withFileTypes: true })
  for (const entry of entries.slice(0, MOST)) {
    const path = join(folder, entry.name)
    if (changed) give(path, by.uid, by.gid)
    if (entry.isDirectory()) queue.push(path)
  }
  return changed ? entries.length + 1 : 1
}

function give(path: string, uid: number, gid: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.uid === 0 && (found.isDirectory() || found.nlink === 1)) lchownSync(path, uid, gid)
}
