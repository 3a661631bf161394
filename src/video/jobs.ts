/**
 * Videos that are being made: asked about until they are done, fetched, and pushed into the chat that
 * wanted them, across restarts. Knows rows and time; refuses to know how a platform takes a file.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import type { Address } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import {
  claimVideoJob,
  delayVideoJob,
  dueVideoJobs,
  endVideoJob,
  insertVideoJob,
  runningVideoJobs,
  startVideoJob,
} from '../store/repositories/video-jobs.ts'
import type { VideoJobRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { VideoClient, VideoRequest } from './minimax.ts'

/** Who gets the video: the chat, and the session whose limit counts. */
export interface VideoOwner {
  readonly sessionId: string
  readonly address: Address
}

/** Why there is no video; `video.reason.<code>` in the locale files. */
export interface VideoFailure {
  readonly code: 'rejected' | 'timed_out' | 'download' | 'too_large'
  readonly params: Readonly<Record<string, string | number>>
}

/** How files and words reach a chat; the house passes it in. */
export interface VideoDelivery {
  /** Where a fetched file is put; removed again once it was handed over. */
  path(owner: VideoOwner, id: string): string
  /** Largest file that the chat takes, bytes. */
  fileBytes(owner: VideoOwner): number
  /** Queues the file for the chat; a second time for the same id changes nothing. */
  file(owner: VideoOwner, id: string, path: string): Promise<void>
  /** Says into the chat that there is none; a second time changes nothing. */
  failure(owner: VideoOwner, id: string, failure: VideoFailure): Promise<void>
}

export interface VideoJobsDeps {
  readonly client: VideoClient
  readonly fetch: GuardedFetch
  readonly delivery: VideoDelivery
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** Rows survive restarts; a job is given up after 30 minutes. */
export interface VideoJobs {
  /** Asks for a video; resolves to the job's id. Rejects with `tool.limit`, `video.rejected` or `video.unavailable`. */
  submit(owner: VideoOwner, request: VideoRequest, signal: AbortSignal): Promise<string>
  /** Takes up what waits, from before a restart too. */
  start(): void
  /** Asks no more; resolves when what is under way has ended. */
  stop(): Promise<void>
}

/** How long until a job is asked about again, and given up; milliseconds. */
const POLL_MS = 5_000
const GIVE_UP_MS = 30 * 60_000
/** How long one process may be at work on a finished job before another takes it. */
const CLAIM_MS = 5 * 60_000
const FETCH_MS = 3 * 60_000
const BATCH = 20
const MAX_PER_SESSION = 3

/** Asks about nothing before {@link VideoJobs.start}. At most three running jobs a session. */
export function createVideoJobs(deps: VideoJobsDeps): VideoJobs {
  const { clock, logger, store } = deps
  const stopping = new AbortController()
  let cancelTick = (): void => undefined
  let round: Promise<void> = Promise.resolve()
  const tick = (): void => {
    cancelTick = clock.after(POLL_MS, () => {
      round = askAll(deps, stopping.signal)
        .catch((error: unknown) => logger.error({ error }, 'videos could not be asked about; tried again'))
        .finally(() => {
          if (!stopping.signal.aborted) tick()
        })
    })
  }
  return {
    submit: async (owner, request, signal) => {
      if ((await runningVideoJobs(store.db, owner.sessionId)) >= MAX_PER_SESSION) {
        throw new AppError('tool.limit', `${MAX_PER_SESSION} videos of this chat are being made.`, {
          hint: 'Wait until one of them has arrived.',
        })
      }
      const id = deps.random.id(8)
      const now = clock.now()
      const row = { id, session_id: owner.sessionId, address: JSON.stringify(owner.address) }
      const times = { next_at: now, deadline: now + GIVE_UP_MS, created_at: now }
      // Before the request: a crash in between leaves a row that says so, and nothing that is asked about.
      await insertVideoJob(store.db, { ...row, ...times, task_id: null, state: 'asked', error: null })
      try {
        const taskId = await deps.client.create(request, signal)
        await startVideoJob(store.db, id, taskId, clock.now() + POLL_MS)
        return id
      } catch (error) {
        await endVideoJob(store.db, id, 'failed', isAppError(error) ? error.code : 'aborted')
        throw error
      }
    },
    start: tick,
    stop: async () => {
      stopping.abort()
      cancelTick()
      await round
    },
  }
}

async function askAll(deps: VideoJobsDeps, signal: AbortSignal): Promise<void> {
  for (const row of await dueVideoJobs(deps.store.db, deps.clock.now(), BATCH)) {
    if (signal.aborted) return
    if (!(await claimVideoJob(deps.store.db, row, deps.clock.now() + CLAIM_MS))) continue
    try {
      await ask(deps, row, signal)
    } catch (error) {
      if (signal.aborted) {
        await delayVideoJob(deps.store.db, row.id, deps.clock.now())
        return
      }
      deps.logger.warn({ video: row.id, error }, 'a video could not be asked about; tried again')
      await delayVideoJob(deps.store.db, row.id, deps.clock.now() + POLL_MS)
    }
  }
}

async function ask(deps: VideoJobsDeps, row: VideoJobRow, signal: AbortSignal): Promise<void> {
  const owner = { sessionId: row.session_id, address: JSON.parse(row.address) as Address }
  const answer = await stateOf(deps, row, signal)
  if (answer.state === 'succeeded') return deliver(deps, row.id, owner, answer.url, signal)
  if (answer.state === 'failed') {
    return fail(deps, row.id, owner, { code: 'rejected', params: { detail: answer.detail } })
  }
  if (deps.clock.now() < row.deadline) {
    return delayVideoJob(deps.store.db, row.id, deps.clock.now() + POLL_MS)
  }
  return fail(deps, row.id, owner, { code: 'timed_out', params: { minutes: GIVE_UP_MS / 60_000 } })
}

/** A service that does not answer is a job that goes on, until its time is over. */
async function stateOf(
  deps: VideoJobsDeps,
  row: VideoJobRow,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<VideoClient['state']>>> {
  try {
    return await deps.client.state(row.task_id ?? '', signal)
  } catch (error) {
    if (!isAppError(error)) throw error
    if (error.retryable) return { state: 'running' }
    return { state: 'failed', detail: String(error.params['detail'] ?? '') }
  }
}

async function deliver(
  deps: VideoJobsDeps,
  id: string,
  owner: VideoOwner,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const most = deps.delivery.fileBytes(owner)
  const path = deps.delivery.path(owner, id)
  try {
    const { status, body } = await deps.fetch(url, { maxBytes: most, timeoutMs: FETCH_MS, signal })
    if (status !== 200)
      return fail(deps, id, owner, { code: 'download', params: { detail: `HTTP ${status}` } })
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, body, { mode: 0o600 })
    await deps.delivery.file(owner, id, path)
    await endVideoJob(deps.store.db, id, 'done', null)
  } catch (error) {
    if (signal.aborted || !isAppError(error)) throw error
    if (error.code === 'net.too_large') {
      const megabytes = Math.round(most / 1_048_576)
      return fail(deps, id, owner, { code: 'too_large', params: { megabytes } })
    }
    return fail(deps, id, owner, { code: 'download', params: { detail: error.message } })
  } finally {
    await rm(path, { force: true })
  }
}

async function fail(
  deps: VideoJobsDeps,
  id: string,
  owner: VideoOwner,
  failure: VideoFailure,
): Promise<void> {
  await deps.delivery.failure(owner, id, failure)
  await endVideoJob(deps.store.db, id, 'failed', failure.code)
}
