/**
 * The AI bot's long connection kept up over many sockets: one owner per bot, subscribe, connect again.
 * Knows when to come back; refuses to know what a message means. A new socket is made for every attempt.
 */
import type { AdapterState, AdapterStatus, OwnerLock } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { Random } from '../../src/protocol/ports.ts'
import type { AibotSocketConfig } from './config.ts'
import { errcodeOf, notConnected } from './errors.ts'
import {
  CONNECT_TIMEOUT_MS,
  every,
  keepAlive,
  type LinkDeps,
  openLink,
  type SocketLink,
  subscribe,
} from './socket-link.ts'
import type { WecomTransport } from './transport.ts'

interface SocketDeps extends LinkDeps {
  readonly lock: OwnerLock
}

const BACKOFF_FIRST_MS = 1_000
const BACKOFF_MAX_MS = 30_000
/** Pause after another connection took the bot over: reconnecting at once would disconnect that one, and so on. Milliseconds. */
const KICK_COOLDOWN_MS = 300_000
/** After refused credentials, once connected: WeCom guards the frequency of subscribing. */
const REFUSED_COOLDOWN_MS = 300_000
const LOCK_TTL_MS = 45_000
const LOCK_RENEW_MS = 15_000

/** Why a socket ended, and so how long to stay away. */
type End = 'closed' | 'kicked' | 'refused' | 'not_owner'

const REASONS: Readonly<Record<End, string>> = {
  closed: 'the long connection was lost',
  kicked: 'another program connected with the same bot; waiting before connecting again',
  refused: 'the bot id or secret was refused',
  not_owner: 'another process of this service holds the connection',
}

export function createSocketTransport(config: AibotSocketConfig, deps: SocketDeps): WecomTransport {
  const { clock } = deps
  const stopping = new AbortController()
  let link: SocketLink | undefined
  let status: AdapterStatus = { state: 'stopped', detail: '', since: clock.now() }
  let loop: Promise<void> = Promise.resolve()

  const supervision: Supervision = {
    config,
    deps,
    stop: stopping.signal,
    show: (state, detail = '') => {
      status = { state, detail, since: clock.now() }
    },
    use: (next) => {
      link = next
    },
  }

  return {
    start: () =>
      new Promise((resolve, reject) => {
        supervision.show('starting')
        // A first failure that time may heal resolves as well: the supervisor goes on.
        const settle = clock.after(CONNECT_TIMEOUT_MS, resolve)
        const done = (then: () => void): void => {
          settle()
          then()
        }
        loop = supervise(
          supervision,
          () => done(resolve),
          (error) => done(() => reject(error)),
        )
      }),
    request: async (cmd, body, options) => {
      const current = link
      if (current === undefined) throw notConnected(`${cmd}: ${status.detail || 'not connected'}`)
      try {
        return await current.request(cmd, body, options)
      } catch (error) {
        // 846609: this socket is not subscribed any more, and nothing but a new one helps (field reports).
        if (errcodeOf(error) === 846609) current.terminate()
        throw error
      }
    },
    status: () => status,
    stop: async () => {
      stopping.abort()
      await loop
      await deps.lock.release(lockOf(config))
      supervision.show('stopped')
    },
  }
}

/** What the loop is given, and where it tells how it goes. */
interface Supervision {
  readonly config: AibotSocketConfig
  readonly deps: SocketDeps
  readonly stop: AbortSignal
  readonly show: (state: AdapterState, detail?: string) => void
  /** Told of the socket once it is subscribed, and of its end. */
  readonly use: (link: SocketLink | undefined) => void
}

/** One socket after another until the stop. `ready` may be called often, `refused` as well. */
async function supervise(
  supervision: Supervision,
  ready: () => void,
  refused: (error: AppError) => void,
): Promise<void> {
  const { deps, show, stop } = supervision
  let failures = 0
  while (!stop.aborted) {
    const end = await connect(supervision, () => {
      failures = 0
      ready()
    }).catch((error: unknown): End => {
      if (!isRefusal(error)) return 'closed'
      refused(error)
      show('failed', `${error.message}. ${error.hint}`)
      return 'refused'
    })
    if (stop.aborted) return
    // A process on standby has started: what it would wait for is the end of another.
    if (end === 'not_owner') ready()
    const wait = delayAfter(end, failures++, deps.random)
    if (end !== 'refused') show(end === 'not_owner' ? 'standby' : 'reconnecting', REASONS[end])
    deps.logger.warn({ end, wait }, 'wecom: long connection ended; connecting again later')
    await deps.clock.sleep(wait, stop).catch(() => undefined)
  }
}

/** One connection from dialling to its end. `ready` is called once subscribed. Rejects for a refusal. */
async function connect({ config, deps, stop, show, use }: Supervision, ready: () => void): Promise<End> {
  if (!(await deps.lock.acquire(lockOf(config), LOCK_TTL_MS))) return 'not_owner'
  const link = await openLink(config.wsUrl, deps)
  stop.addEventListener('abort', link.close)
  if (stop.aborted) link.close()
  try {
    await subscribe(link, config)
    use(link)
    show('connected')
    ready()
    const stops = [keepAlive(link, deps), keepLock(link, deps, lockOf(config))]
    const end = await link.ended
    for (const each of stops) each()
    return end
  } catch (error) {
    if (isRefusal(error)) throw error
    deps.logger.warn({ error: String(error) }, 'wecom: subscribing failed')
    return 'closed'
  } finally {
    use(undefined)
    stop.removeEventListener('abort', link.close)
    link.terminate()
  }
}

function lockOf(config: AibotSocketConfig): string {
  return `wecom:${config.botId}`
}

/** A lost lock ends the socket: another process may connect from now on. Returns its end. */
function keepLock(link: SocketLink, { clock, lock }: SocketDeps, name: string): () => void {
  return every(clock, LOCK_RENEW_MS, async () => {
    const held = await lock.acquire(name, LOCK_TTL_MS).catch(() => false)
    if (!held) link.terminate()
  })
}

function delayAfter(end: End, failures: number, random: Random): number {
  if (end === 'kicked') return KICK_COOLDOWN_MS
  if (end === 'refused') return REFUSED_COOLDOWN_MS
  if (end === 'not_owner') return LOCK_RENEW_MS
  const ceiling = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** failures)
  return Math.round(ceiling / 2 + (ceiling / 2) * random.float())
}

/** Credentials that only an operator can change. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'wecom.subscribe_refused'
}
