/**
 * Keeps one server connected: tries again with growing pauses, the first failure like any other, and
 * gives up on a program that dies over and over (M7). It does not know what a tool is.
 */
import type { Clock, Logger, Random } from '../../protocol/ports.ts'

export type LinkState =
  /** Being connected for the first time, or again at once. */
  | 'connecting'
  | 'ready'
  /** The next try comes by itself. */
  | 'waiting'
  /** A person must log in. */
  | 'login'
  /** Given up until somebody starts it again. */
  | 'broken'
  | 'stopped'

export interface Supervised {
  /** Connects and resolves, or rejects with why not. `onEnded` is called once when the connection ends by itself. */
  connect(onEnded: (why: string) => void): Promise<void>
  disconnect(): Promise<void>
  /** What a failure means. */
  judge(error: unknown): { readonly why: string; readonly needsLogin: boolean }
}

export interface Supervisor {
  readonly state: LinkState
  /** Why it is not ready; empty when it is. */
  readonly why: string
  start(): void
  /** Resolves when the try that is under way has ended, one way or the other. */
  settled(): Promise<void>
  /** A call was told that a person must log in (again, or for more). */
  needLogin(why: string): void
  /** Begins anew at once, also after it was given up. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface SupervisorDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Failures within a minute after which it is given up; undefined never gives up. */
  readonly mostFailures: number | undefined
  readonly onChange: () => void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 60_000
const WINDOW_MS = 60_000

export function createSupervisor(target: Supervised, deps: SupervisorDeps): Supervisor {
  const { clock, logger } = deps
  let state: LinkState = 'stopped'
  let why = ''
  let pauseMs = FIRST_PAUSE_MS
  let failures: number[] = []
  let attempt = Promise.resolve()
  let cancelPause = (): void => {}
  let readySince = 0
  let generation = 0

  const become = (next: LinkState, reason = ''): void => {
    state = next
    why = reason
    deps.onChange()
  }
  const tryOnce = (): void => {
    const mine = ++generation
    become('connecting', why)
    attempt = target
      .connect((reason) => mine === generation && failed(reason))
      .then(
        () => {
          if (mine !== generation) return
          readySince = clock.monotonic()
          become('ready')
        },
        (error: unknown) => {
          if (mine !== generation) return
          const judged = target.judge(error)
          if (judged.needsLogin) become('login', judged.why)
          else failed(judged.why)
        },
      )
  }
  const failed = (reason: string): void => {
    const now = clock.monotonic()
    generation++
    if (state === 'ready' && now - readySince > WINDOW_MS) pauseMs = FIRST_PAUSE_MS
    failures = [...failures.filter((at) => at > now - WINDOW_MS), now]
    if (deps.mostFailures !== undefined && failures.length >= deps.mostFailures) {
      logger.error(
        { why: reason, failures: failures.length },
        'an MCP server is given up: it fails again and again',
      )
      become('broken', reason)
      return
    }
    logger.warn({ why: reason, pauseMs }, 'an MCP server is not connected; will try again')
    become('waiting', reason)
    const pause = pauseMs * (0.75 + deps.random.float() / 2)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    cancelPause = clock.after(pause, tryOnce)
  }
  const halt = async (): Promise<void> => {
    generation++
    cancelPause()
    await target.disconnect()
    await attempt
  }
  return {
    get state() {
      return state
    },
    get why() {
      return why
    },
    start: tryOnce,
    settled: () => attempt,
    needLogin: (reason) => become('login', reason),
    restart: async () => {
      await halt()
      failures = []
      pauseMs = FIRST_PAUSE_MS
      tryOnce()
    },
    stop: async () => {
      await halt()
      become('stopped')
    },
  }
}
