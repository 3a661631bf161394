/**
 * Ensures that only one process uses a data folder with the embedded database. The kernel holds the lock, in the
 * form of an open transaction on a file of its own: it ends with the process, and it holds between containers, whose
 * process ids say nothing about each other. The file with the process id is for messages, and for the program of
 * an older version, which takes no other lock.
 *
 * Nothing in this process may open and close `yizhan.lock` while it is held, not even to read it: SQLite's locks
 * are those of POSIX, and the kernel takes all of a process's locks on a file away when the process closes any
 * descriptor of that file (fcntl(2), "Advisory record locking").
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../protocol/errors.ts'

/** How the program is started: from its bundle or from the sources. */
const PROGRAM = /\b(?:start\.js|main\.ts)\b/
/** SQLite's primary result code for a lock that somebody else holds. */
const BUSY = 5
/** Whoever only looks whether the folder is held is gone by then; milliseconds. */
const LOOK_MS = 200

/** A data folder that is held by this process, for as long as somebody keeps this object. */
export interface ProcessLock {
  /** Gives the folder back. */
  release(): void
}

/**
 * Takes the folder for the process `pid`, and makes it if there is none. Throws `store.in_use` when another living
 * process holds it, and `store.unwritable` when nothing can be written there.
 */
export function lockDataDir(dataDir: string, pid: number): ProcessLock {
  const file = join(dataDir, 'yizhan.pid')
  const held = holdFile(join(dataDir, 'yizhan.lock'), dataDir, file)
  const holder = readPid(file)
  if (holder !== undefined && holder !== pid && isService(holder)) {
    held.close()
    throw inUse(dataDir, holder)
  }
  try {
    writeFileSync(file, String(pid), { mode: 0o600 })
  } catch (error) {
    held.close()
    throw unwritable(dataDir, error)
  }
  return {
    release: () => {
      rmSync(file, { force: true })
      held.close()
    },
  }
}

/**
 * Whether a service holds the folder now. For other programs only: in the process that holds it, the look would end
 * the hold.
 */
export function isInUse(dataDir: string): boolean {
  const holder = readPid(join(dataDir, 'yizhan.pid'))
  if (holder !== undefined && isService(holder)) return true
  const path = join(dataDir, 'yizhan.lock')
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path)
  try {
    database.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch {
    return true
  } finally {
    database.close()
  }
}

/** An exclusive transaction that writes nothing: nobody else gets one until it is closed or its process has ended. */
function holdFile(path: string, dataDir: string, pidFile: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // SQLite would make the file readable for everybody. One that is there may be held by this process.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
    database = new DatabaseSync(path, { timeout: LOOK_MS })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY)
      throw inUse(dataDir, readPid(pidFile) ?? '?')
    throw unwritable(dataDir, error)
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(pid) ? pid : undefined
  } catch {
    // No process has written one.
    return undefined
  }
}

/** True while the process of that id is a service; the id may belong to another program by now. */
function isService(pid: number): boolean {
  try {
    return PROGRAM.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    // There is no such process.
    return false
  }
}

function inUse(dataDir: string, holder: number | '?'): AppError {
  return new AppError('store.in_use', `another Yizhan (process ${holder}) is already running on ${dataDir}`, {
    hint: `Stop it first (kill ${holder}, or stop its container), or give this one a dataDir and a port of its own.`,
    params: { holder, dataDir },
  })
}

function unwritable(dataDir: string, cause: unknown): AppError {
  return new AppError('store.unwritable', `${dataDir} cannot be written`, {
    cause,
    hint: 'Check that dataDir exists, has room, and belongs to the user that runs the service.',
    params: { file: dataDir },
  })
}
