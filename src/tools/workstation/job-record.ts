/** What is known about a background command: a file per command in the session's private folder. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readExitStatus } from '../../sandbox/index.ts'
import { outputFile } from '../model-copy.ts'

const FOLDER = 'jobs'
const ID = /^job-[a-z2-7]{4,32}$/
/** Ended commands that are still told about; older ones are forgotten. */
const MOST_RECORDS = 50

const recordSchema = z.object({
  id: z.string(),
  command: z.string(),
  /** Relative to the workspace. */
  cwd: z.string(),
  requester: z.string(),
  /** Others whose messages were in the run that started it. */
  others: z.array(z.string()).optional(),
  startedAt: z.number(),
  /** Absent while it runs, and for ever when the service died under it. */
  end: z
    .object({
      at: z.number(),
      how: z.enum(['exit', 'signal', 'timeout', 'aborted', 'limit', 'refused']),
      exitCode: z.int().optional(),
      /** Signal, limit, or why it was not started or ended. */
      detail: z.string().optional(),
    })
    .optional(),
})

export type JobRecord = z.output<typeof recordSchema>

/** Files of a command: its whole output and its exit status. */
export function jobFiles(
  privateDir: string,
  id: string,
): { readonly log: { readonly path: string; readonly name: string }; readonly statusPath: string } {
  return {
    log: outputFile(privateDir, id, 'log'),
    statusPath: outputFile(privateDir, id, 'json').path,
  }
}

/** Writes the record whole or not at all. */
export async function writeRecord(privateDir: string, record: JobRecord): Promise<void> {
  await mkdir(join(privateDir, FOLDER), { recursive: true, mode: 0o700 })
  const path = recordPath(privateDir, record.id)
  await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Records of a session, oldest first. */
export async function readRecords(privateDir: string): Promise<JobRecord[]> {
  const names = await readdir(join(privateDir, FOLDER)).catch(() => [])
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5))
  const records = await Promise.all(ids.map((id) => readRecord(privateDir, id)))
  return records.filter((record) => record !== undefined).sort((a, b) => a.startedAt - b.startedAt)
}

/** One record; undefined when there is none of that id. */
export async function readRecord(privateDir: string, id: string): Promise<JobRecord | undefined> {
  if (!ID.test(id)) return undefined
  try {
    return recordSchema.parse(JSON.parse(await readFile(recordPath(privateDir, id), 'utf8')))
  } catch {
    // Absent and torn are the same answer: there is no such command.
    return undefined
  }
}

/**
 * How a command ended that nobody watched to its end, because the service stopped. The runner's own
 * status is the evidence; without one it is unknown, and "lost" is said.
 */
export async function endOfLost(
  privateDir: string,
  record: JobRecord,
): Promise<NonNullable<JobRecord['end']> | undefined> {
  const status = await readExitStatus(jobFiles(privateDir, record.id).statusPath)
  if (!status || status.ended === 'aborted') return undefined
  const detail = status.limit ?? status.signal
  return {
    at: record.startedAt + status.durationMs,
    how: status.ended,
    ...(status.exitCode === undefined ? {} : { exitCode: status.exitCode }),
    ...(detail === undefined ? {} : { detail }),
  }
}

/** Deletes the oldest ended records and their outputs beyond the newest fifty. */
export async function forgetOldest(privateDir: string, isRunning: (id: string) => boolean): Promise<void> {
  const ended = (await readRecords(privateDir)).filter((record) => !isRunning(record.id))
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MOST_RECORDS))) {
    const { log, statusPath } = jobFiles(privateDir, id)
    for (const path of [log.path, statusPath, recordPath(privateDir, id)]) await rm(path, { force: true })
  }
}

const recordPath = (privateDir: string, id: string): string => join(privateDir, FOLDER, `${id}.json`)
