/**
 * The record of how a command ended, written where the sandbox cannot reach, before anybody is told.
 * After a crash it is the evidence that the command ran.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const exitStatus = z.object({
  exitCode: z.int().optional(),
  signal: z.string().optional(),
  ended: z.enum(['exit', 'signal', 'timeout', 'aborted', 'limit']),
  limit: z.string().optional(),
  totalBytes: z.number(),
  durationMs: z.number(),
})

export type ExitStatus = z.output<typeof exitStatus>

/** Reads the record; undefined when there is none (the command never ended, or never began). */
export async function readExitStatus(statusPath: string): Promise<ExitStatus | undefined> {
  try {
    return exitStatus.parse(JSON.parse(await readFile(statusPath, 'utf8')))
  } catch {
    // Absent and torn are the same answer: nothing is known.
    return undefined
  }
}

/** Writes the record so that it is whole or absent, whatever happens to us. */
export function writeExitStatus(statusPath: string, status: ExitStatus): void {
  const fresh = `${statusPath}.new`
  const fd = openSync(fresh, 'w', 0o600)
  try {
    writeSync(fd, JSON.stringify(status))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(fresh, statusPath)
}
