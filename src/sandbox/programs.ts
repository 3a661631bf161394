/** Finds programs by absolute path, once, so that nothing in a workspace can stand in for them (S7). */
import { constants, statSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Account } from './account.ts'

/** Where programs are looked for when nobody says otherwise. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** First executable file of that name; empty and relative entries of `path` are ignored. */
export async function findProgram(name: string, path: string = DEFAULT_PATH): Promise<string | undefined> {
  for (const folder of path.split(':').filter(isAbsolute)) {
    const candidate = join(folder, name)
    if (await isExecutable(candidate)) return candidate
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    // Not there or not ours to run: the next folder may have it.
    return false
  }
}

/** True when the account may enter every folder above `path`. */
export function canReach(path: string, account: Account): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (folder === dirname(folder)) return true
  }
}
