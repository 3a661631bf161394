/**
 * Files that the service (root) put into a workspace must belong to the sandbox's user, or commands
 * could neither read nor change them. Rule: whatever lies in a workspace belongs to its folder's owner.
 */
import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Entries looked at before each command; deeper and later ones were written by the sandbox itself. */
const MOST = 2_000

/**
 * Gives root's entries under `path` to the account, nearest first, at most 2,000 looked at. Symbolic
 * links are given away themselves, never followed; a file with a second name stays as it is.
 */
export function claim(path: string, uid: number, gid: number): void {
  const queue = [path]
  let seen = 0
  for (let next = queue.shift(); next !== undefined && seen < MOST; next = queue.shift()) {
    seen++
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (!found) continue
    const single = found.isDirectory() || found.nlink === 1
    if (found.uid === 0 && single) lchownSync(next, uid, gid)
    if (!found.isDirectory() || seen + queue.length >= MOST) continue
    const parent = next
    queue.push(...readdirSync(parent).map((name) => join(parent, name)))
  }
}
