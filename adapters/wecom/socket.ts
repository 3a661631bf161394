/**
 * The AI bot's long connection on `ws`: subscribe, heartbeat, acknowledgements, one owner per bot,
 * reconnect. Knows frames and time; refuses to know what a message means. A new socket is made for
 * every attempt; everything that belongs to one socket dies with it.
 */
import { WebSocket } from 'ws'
import type { AdapterState, AdapterStatus, OwnerLock } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { Clock, Logger, Random } from '../../src/protocol/ports.ts'
import type { AibotSocketConfig } from './config.ts'
import { ADMIN_PAGE, errcodeOf, notConnected } from './errors.ts'
import { formatFrame, parseFrame } from './frame.ts'
import { createPendingRequests, type PendingRequests } from './pending.ts'
import type { CallbackFrame, Command, WecomTransport } from './transport.ts'

interface SocketDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly lock: OwnerLock
  /** Called for every callback, in order of arrival. Must not throw. */
  readonly onCallback: (frame: CallbackFrame) => void
}

const PING_EVERY_MS = 30_000
const PING_TIMEOUT_MS = 10_000
/** Acknowledgements in the field take up to 8 s; uploads pass their own limit. */
const ACK_TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 15_000
const BACKOFF_FIRST_MS = 1_000
const BACKOFF_MAX_MS = 30_000
/** Pause after another connection took the bot over: reconnecting at once would disconnect that one, and so on. Milliseconds. */
const KICK_COOLDOWN_MS = 300_000
/** After refused credentials, once connected: WeCom guards the frequency of subscribing. */
const REFUSED_COOLDOWN_MS = 300_000
const LOCK_TTL_MS = 45_000
const LOCK_RENEW_MS = 15_000
/** Subscribe answers that pass by themselves. */
const PASSING = new Set(['wecom.busy', 'wecom.rate_limited'])

/** Why a socket ended, and so how long to stay away. */
type End = 'closed' | 'kicked' | 'refused' | 'not_owner' | 'stopped'

interface Live {
  readonly socket: WebSocket
  readonly pending: PendingRequests
}

export function createSocketTransport(config: AibotSocketConfig, deps: SocketDeps): WecomTransport {
  const { clock, logger } = deps
  const lockName = `wecom:${config.botId}`
  const stopping = new AbortController()
  let live: Live | undefined
  let status: AdapterStatus = { state: 'stopped', detail: '', since: clock.now() }
  let loop: Promise<void> = Promise.resolve()

  const setStatus = (state: AdapterState, detail = ''): void => {
    status = { state, detail, since: clock.now() }
  }

  const request: WecomTransport['request'] = async (cmd, body, options = {}) => {
    const current = live
    if (current === undefined) throw notConnected(`${cmd}: ${status.detail || 'not connected'}`)
    try {
      return await exchange(current, deps, cmd, body, options)
    } catch (error) {
      // 846609: this socket is not subscribed any more, and nothing but a new one helps (field reports).
      if (errcodeOf(error) === 846609) current.socket.terminate()
      throw error
    }
  }

  /** One connection from dialling to its end. `ready` is called once subscribed. */
  const session = async (ready: () => void): Promise<End> => {
    if (!(await deps.lock.acquire(lockName, LOCK_TTL_MS))) return 'not_owner'
    const current = await dial(config.wsUrl, deps)
    const ended = watch(current, deps, stopping.signal)
    const close = (): void => closeSoon(current, clock)
    stopping.signal.addEventListener('abort', close)
    if (stopping.signal.aborted) close()
    try {
      await exchange(current, deps, 'aibot_subscribe', { bot_id: config.botId, secret: config.secret }, {})
      live = current
      setStatus('connected')
      ready()
      const keep = keepAlive(current, deps, lockName)
      const end = await ended
      keep()
      return end
    } catch (error) {
      if (isRefusal(error)) throw error
      logger.warn({ error: String(error) }, 'wecom: subscribing failed')
      return 'closed'
    } finally {
      live = undefined
      stopping.signal.removeEventListener('abort', close)
      current.socket.terminate()
    }
  }

  const supervise = async (ready: () => void, refused: (error: unknown) => void): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      const end = await session(() => {
        failures = 0
        ready()
      }).catch((error: unknown): End => {
        if (!isRefusal(error)) return 'closed'
        refused(error)
        setStatus('failed', `${error.message}. ${error.hint}`)
        return 'refused'
      })
      if (stopping.signal.aborted) return
      // A process on standby has started: what it would wait for is the end of another.
      if (end === 'not_owner') ready()
      const wait = delayAfter(end, failures++, deps.random)
      if (end !== 'refused') setStatus(end === 'not_owner' ? 'standby' : 'reconnecting', REASONS[end])
      logger.warn({ end, wait }, 'wecom: long connection ended; connecting again later')
      await clock.sleep(wait, stopping.signal).catch(() => undefined)
    }
  }

  return {
    start: () =>
      new Promise((resolve, reject) => {
        setStatus('starting')
        // A first failure that time may heal resolves as well: the supervisor goes on.
        const settle = clock.after(CONNECT_TIMEOUT_MS, resolve)
        const done = (then: () => void): void => {
          settle()
          then()
        }
        loop = supervise(
          () => done(resolve),
          (error) => done(() => reject(error)),
        )
      }),
    request,
    status: () => status,
    stop: async () => {
      stopping.abort()
      await loop
      await deps.lock.release(lockName)
      setStatus('stopped')
    },
  }
}

const REASONS: Readonly<Record<End, string>> = {
  closed: 'the long connection was lost',
  kicked: 'another program connected with the same bot; waiting before connecting again',
  refused: 'the bot id or secret was refused',
  not_owner: 'another process of this service holds the connection',
  stopped: '',
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

function dial(wsUrl: string, deps: SocketDeps): Promise<Live> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(wsUrl, {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      maxPayload: 16 * 1024 * 1024,
    })
    socket.once('open', () => resolve({ socket, pending: createPendingRequests(deps.clock) }))
    socket.once('error', reject)
  })
}

/** Routes frames until the socket closes. Resolves with the reason. */
function watch(current: Live, deps: SocketDeps, stop: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    let end: End = 'closed'
    current.socket.on('message', (data) => {
      const frame = parseFrame(data.toString())
      if (frame === undefined) return deps.logger.warn({}, 'wecom: something that is not a frame arrived')
      if (frame.type === 'ack') return void current.pending.settle(frame.ack)
      if (isKick(frame.callback)) {
        end = 'kicked'
        closeSoon(current, deps.clock)
      }
      deps.onCallback(frame.callback)
    })
    current.socket.on('error', (error) => deps.logger.warn({ error: error.message }, 'wecom: socket error'))
    current.socket.once('close', () => {
      current.pending.lose()
      resolve(stop.aborted ? 'stopped' : end)
    })
  })
}

/** Starts the closing handshake and waits at most half a second for it. */
function closeSoon(current: Live, clock: Clock): void {
  current.socket.close(1000)
  clock.after(500, () => current.socket.terminate())
}

function isKick(frame: CallbackFrame): boolean {
  return (
    frame.cmd === 'aibot_event_callback' &&
    /"eventtype":"disconnected_event"/.test(JSON.stringify(frame.body))
  )
}

async function exchange(
  current: Live,
  deps: SocketDeps,
  cmd: Command,
  body: unknown,
  options: { reqId?: string; timeoutMs?: number },
): Promise<unknown> {
  const reqId = options.reqId ?? `${cmd}_${deps.random.id()}`
  const write = (): void => {
    if (current.socket.readyState !== WebSocket.OPEN) throw notConnected(`${cmd}: the socket is closing`)
    current.socket.send(formatFrame(cmd, reqId, body))
  }
  try {
    return await current.pending.send(cmd, reqId, options.timeoutMs ?? ACK_TIMEOUT_MS, write)
  } catch (error) {
    throw cmd === 'aibot_subscribe' ? subscribeError(error) : error
  }
}

function subscribeError(error: unknown): unknown {
  const errcode = errcodeOf(error)
  if (!(error instanceof AppError) || errcode === undefined || PASSING.has(error.code)) return error
  return new AppError('wecom.subscribe_refused', error.message, {
    hint: `Check aibot.botId and aibot.secret: the secret of the long connection, not of an app (WeCom client: workbench → AI bot → API mode → long connection; or ${ADMIN_PAGE}).`,
    params: { errcode },
    cause: error,
  })
}

/**
 * Judges the connection by the acknowledgements of its pings, never by silence, and keeps the lock.
 * Two missed acknowledgements, or a lost lock, end the socket. Returns its end.
 */
function keepAlive(current: Live, deps: SocketDeps, lockName: string): () => void {
  let missed = 0
  const ping = async (): Promise<void> => {
    try {
      await exchange(current, deps, 'ping', undefined, { timeoutMs: PING_TIMEOUT_MS })
      missed = 0
    } catch (error) {
      missed += 1
      deps.logger.warn({ missed, error: String(error) }, 'wecom: a ping was not acknowledged')
      if (missed >= 2) current.socket.terminate()
    }
  }
  const renew = async (): Promise<void> => {
    const held = await deps.lock.acquire(lockName, LOCK_TTL_MS).catch(() => false)
    if (!held) current.socket.terminate()
  }
  const stops = [every(deps.clock, PING_EVERY_MS, ping), every(deps.clock, LOCK_RENEW_MS, renew)]
  return () => {
    for (const stop of stops) stop()
  }
}

function every(clock: Clock, ms: number, task: () => Promise<void>): () => void {
  let cancel = clock.after(ms, tick)
  function tick(): void {
    cancel = clock.after(ms, tick)
    void task()
  }
  return () => cancel()
}
