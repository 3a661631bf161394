/**
 * Keeps exactly one live socket per app across all processes. Knows when to try again, when to stop
 * and tell somebody, and when a silent connection is dead; knows nothing of events.
 */
import type { AdapterDeps, AdapterState, AdapterStatus } from '../../../src/protocol/adapter.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { consoleLink, type FeishuConfig } from '../config.ts'
import { keepLock, LOCK_TTL_MS, takeLock } from './lock.ts'
import { createSilenceWatch } from './silence.ts'
import type { OpenSocket, SocketEnd } from './socket.ts'

export interface Supervisor {
  /** Resolves when connected, on standby, or after a first failure that is tried again. */
  start(): Promise<void>
  status(): AdapterStatus
  /** Lets running handlers finish and their acknowledgements go out, then closes. */
  stop(): Promise<void>
}

type SupervisorDeps = Pick<AdapterDeps, 'clock' | 'random' | 'logger' | 'lock'> & {
  readonly handle: (payload: unknown) => Promise<object | undefined>
  readonly openSocket: OpenSocket
}

/** Endpoint codes after which only an administrator can help. */
const BAD_SECRET = new Set([403, 514])
const DRAIN_MS = 5_000

type Ending =
  | SocketEnd
  | { readonly type: 'silent' }
  | { readonly type: 'lock_lost' }
  | { readonly type: 'stopped' }

/** Builds the supervisor of one app's socket. */
export function createSupervisor(config: FeishuConfig, deps: SupervisorDeps): Supervisor {
  const { clock, logger } = deps
  const lockName = `feishu-socket-${config.appId}`
  const stopping = new AbortController()
  let status: AdapterStatus = { state: 'starting', detail: '', since: clock.now() }
  let running: Promise<void> | undefined
  let inFlight = 0
  let onDrained: (() => void) | undefined

  const enter = (state: AdapterState, detail = ''): void => {
    if (status.state === state && status.detail === detail) return
    status = { state, detail, since: clock.now() }
    logger.info({ state, detail }, 'feishu socket')
  }

  const handle = async (payload: unknown): Promise<object | undefined> => {
    // Not acknowledged, so that another process gets it.
    if (stopping.signal.aborted) throw new AppError('feishu.stopping', 'this process is stopping')
    inFlight += 1
    try {
      return await deps.handle(payload)
    } finally {
      inFlight -= 1
      if (inFlight === 0) onDrained?.()
    }
  }

  const session = async (onConnected: () => void): Promise<Ending> => {
    const watch = createSilenceWatch(clock)
    const ending = Promise.withResolvers<Ending>()
    const socket = await deps.openSocket(config, logger, {
      handle,
      onFrame: watch.seen,
      onEnd: ending.resolve,
      onReady: () => {
        enter('connected')
        watch.seen()
        onConnected()
      },
    })
    const stopWatching = watch.start(socket, () => ending.resolve({ type: 'silent' }))
    const stopRenewing = keepLock(deps, lockName, () => ending.resolve({ type: 'lock_lost' }))
    const onStop = (): void => ending.resolve({ type: 'stopped' })
    if (stopping.signal.aborted) onStop()
    stopping.signal.addEventListener('abort', onStop, { once: true })
    const how = await ending.promise
    stopping.signal.removeEventListener('abort', onStop)
    stopWatching()
    stopRenewing()
    if (how.type === 'stopped') await drain()
    socket.close()
    return how
  }

  const drain = async (): Promise<void> => {
    if (inFlight > 0) {
      const drained = Promise.withResolvers<void>()
      onDrained = drained.resolve
      const cancel = clock.after(DRAIN_MS, drained.resolve)
      await drained.promise
      cancel()
    }
    // The SDK writes the acknowledgement right after the handler's promise has settled.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }

  const supervise = async (first: PromiseWithResolvers<void>): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      if (!(await takeLock(deps, lockName))) {
        enter(
          'reconnecting',
          'standby: another process holds the connection of this app, or the store is away',
        )
        first.resolve()
        await pause(deps, LOCK_TTL_MS / 3, stopping.signal)
        continue
      }
      let connected = false
      const how = await session(() => {
        connected = true
        first.resolve()
      })
      if (how.type === 'stopped') return
      if (how.type === 'refused' && BAD_SECRET.has(how.code)) {
        const error = badSecret(config, how)
        enter('failed', `${error.message}. ${error.hint}`)
        first.reject(error)
        return
      }
      failures = connected ? 0 : failures + 1
      enter('reconnecting', describe(how))
      first.resolve()
      await pause(deps, backOff(failures, deps.random.float()), stopping.signal)
    }
  }

  return {
    status: () => status,
    start: () => {
      const first = Promise.withResolvers<void>()
      running = supervise(first).catch((error: unknown) => {
        enter('failed', error instanceof Error ? error.message : 'unknown')
        first.reject(error)
      })
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

/**
 * Milliseconds to wait before the next try: up to 3 s after a connection that had worked, so that a
 * fleet does not come back as one; else doubling up to two minutes, half of it random.
 */
export function backOff(failures: number, random: number): number {
  if (failures === 0) return random * 3_000
  return Math.min(120_000, 1_000 * 2 ** failures) * (0.5 + random / 2)
}

async function pause(deps: Pick<SupervisorDeps, 'clock'>, ms: number, signal: AbortSignal): Promise<void> {
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
