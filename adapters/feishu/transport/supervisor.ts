/**
 * Keeps exactly one live socket per app across all processes. Knows when to try again, when to stop
 * and tell somebody, and when a silent connection is dead; knows nothing of events.
 */
import type { AdapterState, AdapterStatus } from '../../../src/protocol/adapter.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { consoleLink, type FeishuConfig } from '../config.ts'
import { createInFlight } from './in-flight.ts'
import { LOCK_TTL_MS, takeLock } from './lock.ts'
import { type Ending, runSession, type SessionDeps } from './session.ts'

/** The socket of one app, whatever happens to single connections. */
export interface Supervisor {
  /** Resolves when connected, on standby, or after a first failure that is tried again. */
  start(): Promise<void>
  status(): AdapterStatus
  /** Lets running handlers finish and their acknowledgements go out, then closes. */
  stop(): Promise<void>
}

/** Endpoint codes after which only an administrator can help. */
const BAD_SECRET = new Set([403, 514])

const STANDBY = 'standby: another process holds the connection of this app, or the store is away'

/** Builds the supervisor of one app's socket. */
export function createSupervisor(config: FeishuConfig, deps: SessionDeps): Supervisor {
  const { clock, logger } = deps
  const lockName = `feishu-socket-${config.appId}`
  const stopping = new AbortController()
  let status: AdapterStatus = { state: 'starting', detail: '', since: clock.now() }
  let running: Promise<void> | undefined

  const enter = (state: AdapterState, detail = ''): void => {
    if (status.state === state && status.detail === detail) return
    status = { state, detail, since: clock.now() }
    logger.info({ state, detail }, 'feishu socket')
  }

  return {
    status: () => status,
    start: () => {
      const first = Promise.withResolvers<void>()
      const watch = { lockName, stopping: stopping.signal, enter, first }
      running = supervise(config, deps, watch).then(
        // Stopped before anything happened: whoever waits for the start must not wait for ever.
        () => first.resolve(),
        (error: unknown) => {
          enter('failed', describeFailure(error))
          first.reject(error)
        },
      )
      return first.promise
    },
    stop: async () => {
      stopping.abort()
      await running
      await deps.lock.release(lockName)
      enter('stopped')
    },
  }
}

interface Watch {
  readonly lockName: string
  readonly stopping: AbortSignal
  readonly enter: (state: AdapterState, detail?: string) => void
  /** Settles with the first outcome; later calls have no effect. */
  readonly first: PromiseWithResolvers<void>
}

/** Connects again and again until it is stopped; rejects on what an administrator must change. */
async function supervise(config: FeishuConfig, deps: SessionDeps, watch: Watch): Promise<void> {
  const { lockName, stopping, enter, first } = watch
  const inFlight = createInFlight(deps.clock)
  let failures = 0
  while (!stopping.aborted) {
    if (!(await takeLock(deps, lockName))) {
      enter('standby', STANDBY)
      first.resolve()
      await pause(deps, LOCK_TTL_MS / 3, stopping)
      continue
    }
    let connected = false
    const onConnected = (): void => {
      connected = true
      enter('connected')
      first.resolve()
    }
    const how = await runSession(config, deps, { lockName, inFlight, stopping, onConnected })
    if (how.type === 'stopped') return
    if (how.type === 'refused' && BAD_SECRET.has(how.code)) throw badSecret(config, how)
    failures = connected ? 0 : failures + 1
    enter('reconnecting', describe(how))
    first.resolve()
    await pause(deps, backOff(failures, deps.random.float()), stopping)
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof AppError) return `${error.message}. ${error.hint}`
  return error instanceof Error ? error.message : 'unknown'
}

/**
 * Milliseconds to wait before the next try: up to 3 s after a connection that had worked, so that a
 * fleet does not come back as one; else doubling up to two minutes, half of it random.
 */
export function backOff(failures: number, random: number): number {
  if (failures === 0) return random * 3_000
  return Math.min(120_000, 1_000 * 2 ** failures) * (0.5 + random / 2)
}

async function pause(deps: Pick<SessionDeps, 'clock'>, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await deps.clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function describe(how: Exclude<Ending, { type: 'stopped' }>): string {
  switch (how.type) {
    case 'refused':
      return `the endpoint answered ${how.code}: ${how.message.slice(0, 200)}`
    case 'silent':
      return 'nothing came from Feishu any more'
    case 'lock_lost':
      return 'another process took the connection over'
    case 'closed':
      return 'the connection was closed or could not be made'
    default:
      return how satisfies never
  }
}

function badSecret(config: FeishuConfig, how: { code: number; message: string }): AppError {
  return new AppError('feishu.bad_secret', `Feishu ${how.code}: ${how.message.slice(0, 200)}`, {
    hint: `Copy App ID and App Secret again from ${consoleLink(config, 'baseinfo')}.`,
    params: { platformCode: how.code },
  })
}
