/**
 * A file that holds a little disk space back. On a full disk SQLite cannot even delete rows (its log
 * needs room), so the ballast is given up to let running work be written down, and laid again later.
 */
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { isAppError } from '../protocol/errors.ts'
import type { Logger } from '../protocol/ports.ts'

const BALLAST_BYTES = 4 * 1024 * 1024

export interface Ballast {
  /** Gives the space up when the error says that the disk is full. */
  onError(error: unknown): void
  /** Lays the ballast again if there is room. */
  restore(): void
}

/** @param path the ballast file, beside the database */
export function createBallast(path: string, logger: Logger): Ballast {
  const present = (): boolean => statSync(path, { throwIfNoEntry: false })?.size === BALLAST_BYTES
  const restore = (): void => {
    if (present()) return
    try {
      writeFileSync(path, Buffer.alloc(BALLAST_BYTES), { mode: 0o600 })
    } catch {
      // No room for the ballast is what the ballast is about; the next probe tries again.
      rmSync(path, { force: true })
    }
  }
  restore()
  return {
    restore,
    onError: (error) => {
      if (!isAppError(error, 'store.full') || !present()) return
      rmSync(path, { force: true })
      logger.error({ path }, 'the disk is full: the reserve was given up so that running work can be saved')
    },
  }
}
