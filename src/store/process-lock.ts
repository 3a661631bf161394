/** Ensures that only one process uses a data folder with the embedded database. The lock of a dead process is ignored. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, isAppError } from '../protocol/errors.ts'

/** How the program is started: from its bundle or from the sources. */
const PROGRAM = /\b(?:start\.js|main\.ts)\b/

export interface ProcessLock {
  release(): void
}

/** Takes the folder for this process; throws `store.in_use` when another one that is alive holds it. */
export function lockDataDir(dataDir: string, pid: number): ProcessLock {
  const file = join(dataDir, 'yizhan.pid')
  for (let round = 0; round < 3; round++) {
    try {
      writeFileSync(file, String(pid), { flag: 'wx', mode: 0o600 })
      return { release: () => rmSync(file, { force: true }) }
    } catch (error) {
      if (isAppError(error) || (error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw unwritable(dataDir, error)
      const holder = Number(readFileSync(file, 'utf8'))
      if (holder !== pid && isAlive(holder)) {
        throw new AppError(
          'store.in_use',
          `another Yizhan (process ${holder}) is already running on ${dataDir}`,
          {
            hint: `Stop it first (kill ${holder}), or give this one a dataDir and a port of its own.`,
            params: { holder, dataDir },
          },
        )
      }
      rmSync(file, { force: true })
    }
  }
  throw new AppError('store.in_use', `the lock of ${dataDir} changes hands too fast`, {
    hint: 'Two services are being started at once; start one.',
  })
}

function isAlive(pid: number): boolean {
  try {
    // A number may have been given to another program since; ours is run by node.
    return PROGRAM.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}

function unwritable(dataDir: string, cause: unknown): AppError {
  return new AppError('store.unwritable', `${dataDir} cannot be written`, {
    cause,
    hint: 'Check that dataDir exists, has room, and belongs to the user that runs the service.',
    params: { file: dataDir },
  })
}
