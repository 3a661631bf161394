/**
 * Background commands: declared, listed, limited, ended with their session or with the service. They run
 * in the same sandbox and within the same limits as any command; only nobody waits for them. It knows
 * which ones run in this process; what is known beyond that is in their records.
 */
import { relative } from 'node:path'
import type { Address, UserKey } from '../../protocol/address.ts'
import { AppError } from '../../protocol/errors.ts'
import type { Clock, Logger, Random } from '../../protocol/ports.ts'
import type { SandboxResult } from '../../protocol/sandbox.ts'
import type { ToolContext } from '../../protocol/tool.ts'
import type { ExactCommand } from '../command/bound-command.ts'
import { createOutputFolder } from '../model-copy.ts'
import { fileError } from '../workspace-path.ts'
import {
  endOfLost,
  forgetOldest,
  type JobRecord,
  jobFiles,
  readRecord,
  readRecords,
  writeRecord,
} from './job-record.ts'

const MOST_PER_SESSION = 4
const MOST_IN_ALL = 24
const OUTPUT_BYTES = 4_096

/** `lost`: the service ended under it, so how it ended is unknown. */
export type Job = JobRecord & { readonly state: 'running' | 'ended' | 'lost' }

/** A command that ended while nobody was waiting for it. */
export interface JobEnd {
  readonly sessionId: string
  readonly address: Address
  readonly requester: UserKey
  /** Others whose messages were in the run that started it. */
  readonly others?: readonly UserKey[]
  readonly job: Job
}

export interface JobsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Told once of each command that ended unwatched, unless it was stopped. Must not throw. */
  readonly onEnded: (end: JobEnd) => Promise<void>
}

export type JobPlace = Pick<ToolContext, 'sessionId' | 'privateDir'>

/** Commands of all sessions that run on while the agent does something else. */
export interface Jobs {
  /** Starts and returns at once. Rejects with `tool.limit` when too many run. */
  start(command: ExactCommand, ctx: ToolContext): Promise<Job>
  find(place: JobPlace, id: string): Promise<Job | undefined>
  /** All of a session, oldest first. */
  list(place: JobPlace): Promise<Job[]>
  /** Resolves when the command has ended or `ms` have passed. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>
  /** Ends a running command and everything it started; resolves when it is over. */
  stop(id: string): Promise<void>
  /** Ends all commands of a session that is no more. */
  endSession(sessionId: string): Promise<void>
  /** Ends all commands of this process and takes no more. */
  close(): Promise<void>
}

interface Running {
  readonly sessionId: string
  readonly controller: AbortController
  readonly over: Promise<void>
  /** How many wait for its end right now. */
  watchers: number
  /** Ended by somebody: nobody needs to be told. */
  stopped: boolean
}

/** They end with the process: after a restart their output is still there, but they are not. */
export function createJobs(deps: JobsDeps): Jobs {
  const running = new Map<string, Running>()
  let closed = false
  const stop = async (id: string, why = 'on request'): Promise<void> => {
    const job = running.get(id)
    if (!job) return
    job.stopped = true
    job.controller.abort(why)
    await job.over
  }
  const stopAll = async (which: (job: Running) => boolean, why: string): Promise<void> => {
    await Promise.all([...running].filter(([, job]) => which(job)).map(([id]) => stop(id, why)))
  }
  const withState = async (place: JobPlace, record: JobRecord): Promise<Job> => {
    if (running.has(record.id)) return { ...record, state: 'running' }
    const end = record.end ?? (await endOfLost(place.privateDir, record))
    return end ? { ...record, end, state: 'ended' } : { ...record, state: 'lost' }
  }
  return {
    async start(command, ctx) {
      if (closed) throw new AppError('tool.unavailable', 'The service is stopping.', { hint: 'Try later.' })
      checkRoom([...running.values()], ctx.sessionId)
      return { ...(await begin(deps, running, command, ctx)), state: 'running' }
    },
    async find(place, id) {
      const record = await readRecord(place.privateDir, id)
      return record && withState(place, record)
    },
    list: async (place) =>
      Promise.all((await readRecords(place.privateDir)).map((record) => withState(place, record))),
    async wait(id, ms, signal) {
      const job = running.get(id)
      if (!job || ms === 0) return
      job.watchers++
      const timer = new AbortController()
      try {
        await Promise.race([job.over, deps.clock.sleep(ms, AbortSignal.any([signal, timer.signal]))])
      } finally {
        // The one who waited sees the end: it stays counted until the end has been told to others or not.
        if (signal.aborted || running.has(id)) job.watchers--
        timer.abort()
      }
    },
    stop: (id) => stop(id),
    endSession: (sessionId) => stopAll((job) => job.sessionId === sessionId, 'with its session'),
    close: async () => {
      closed = true
      await stopAll(() => true, 'with the service')
    },
  }
}

/** Takes its place among the running ones first, so that the limits hold, then writes its record, then runs. */
async function begin(
  deps: JobsDeps,
  running: Map<string, Running>,
  command: ExactCommand,
  ctx: ToolContext,
): Promise<JobRecord> {
  const record: JobRecord = {
    id: `job-${deps.random.id(4)}`,
    command: command.command,
    cwd: relative(ctx.workspace, command.cwd) || '.',
    requester: ctx.requester,
    ...(ctx.others ? { others: [...ctx.others] } : {}),
    startedAt: deps.clock.now(),
  }
  const controller = new AbortController()
  const recorded = Promise.withResolvers<boolean>()
  const over = recorded.promise.then(async (written) => {
    if (written) await runToEnd(deps, record, command, ctx, controller.signal)
  })
  const job: Running = { sessionId: ctx.sessionId, controller, over, watchers: 0, stopped: false }
  running.set(record.id, job)
  void over.then(async () => {
    running.delete(record.id)
    if (job.stopped || job.watchers > 0) return
    const ended = await readRecord(ctx.privateDir, record.id)
    if (ended) await deps.onEnded({ ...endOf(ctx), job: { ...ended, state: 'ended' } })
  })
  try {
    createOutputFolder(ctx.privateDir)
    await writeRecord(ctx.privateDir, record)
    await forgetOldest(ctx.privateDir, (id) => running.has(id))
    recorded.resolve(true)
  } catch (error) {
    throw fileError(error, record.id)
  } finally {
    // What cannot be recorded is not run: nobody would ever find it again.
    recorded.resolve(false)
  }
  return record
}

const endOf = ({ sessionId, address, requester, others }: ToolContext): Omit<JobEnd, 'job'> => ({
  sessionId,
  address,
  requester,
  ...(others ? { others } : {}),
})

function checkRoom(all: readonly Running[], sessionId: string): void {
  const own = all.filter((job) => job.sessionId === sessionId).length
  if (own >= MOST_PER_SESSION) {
    throw new AppError(
      'tool.limit',
      `${own} background commands run in this session; at most ${MOST_PER_SESSION} may.`,
      {
        hint: 'See them with command_status, end one with stop_command, or wait for one.',
      },
    )
  }
  if (all.length >= MOST_IN_ALL) {
    throw new AppError('tool.limit', `${all.length} background commands run in the service, its limit.`, {
      hint: 'Run it in the foreground, or try again later.',
    })
  }
}

/** Never rejects: whatever happens is in the record. */
async function runToEnd(
  deps: JobsDeps,
  record: JobRecord,
  command: ExactCommand,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<void> {
  const files = jobFiles(ctx.privateDir, record.id)
  const request = {
    ...command,
    workspace: ctx.workspace,
    logPath: files.log.path,
    statusPath: files.statusPath,
    outputBytes: OUTPUT_BYTES,
  }
  const end = await ctx.sandbox.run(request, signal).then(
    (result) => howEnded(result, signal),
    (error: unknown) => ({
      how: signal.aborted ? ('aborted' as const) : ('refused' as const),
      detail: signal.aborted ? String(signal.reason) : error instanceof Error ? error.message : String(error),
    }),
  )
  try {
    await writeRecord(ctx.privateDir, { ...record, end: { ...end, at: deps.clock.now() } })
  } catch (error) {
    deps.logger.error({ job: record.id, error }, 'the end of a background command could not be recorded')
  }
}

function howEnded(result: SandboxResult, stop: AbortSignal): Omit<NonNullable<JobRecord['end']>, 'at'> {
  const detail = result.ended === 'aborted' ? String(stop.reason) : (result.limit ?? result.signal)
  return {
    how: result.ended,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(detail === undefined ? {} : { detail }),
  }
}
