/**
 * One socket of the long connection on `ws`, from dialling to its end: frames, acknowledgements, pings.
 * Everything that belongs to it dies with it. Refuses to know why it was made and when the next one comes.
 */
import { WebSocket } from 'ws'
import { AppError } from '../../src/protocol/errors.ts'
import type { Clock, Logger, Random } from '../../src/protocol/ports.ts'
import type { AibotSocketConfig } from './config.ts'
import { ADMIN_PAGE, errcodeOf, notConnected } from './errors.ts'
import { formatFrame, parseFrame } from './frame.ts'
import { createPendingRequests, type PendingRequests } from './pending.ts'
import type { CallbackFrame, WecomTransport } from './transport.ts'

export interface LinkDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Called for every callback, in order of arrival. Must not throw. */
  readonly onCallback: (frame: CallbackFrame) => void
}

/** Time from dialling to an open socket, milliseconds. */
export const CONNECT_TIMEOUT_MS = 15_000
const PING_EVERY_MS = 30_000
const PING_TIMEOUT_MS = 10_000
/** Acknowledgements in the field take up to 8 s; uploads pass their own limit. */
const ACK_TIMEOUT_MS = 20_000
/** Subscribe answers that pass by themselves. */
const PASSING = new Set(['wecom.busy', 'wecom.rate_limited'])

export interface SocketLink {
  /** As {@link WecomTransport.request}, on this socket alone. */
  readonly request: WecomTransport['request']
  /** Resolves at the socket's end; `kicked` when another connection took the bot over. Never rejects. */
  readonly ended: Promise<'closed' | 'kicked'>
  /** Starts the closing handshake and waits at most half a second for it. */
  close(): void
  /** Ends the socket at once. */
  terminate(): void
}

/** Rejects with the socket's own error when it cannot be opened. */
export async function openLink(wsUrl: string, deps: LinkDeps): Promise<SocketLink> {
  const socket = await dial(wsUrl)
  const pending = createPendingRequests(deps.clock)
  const terminate = (): void => socket.terminate()
  const close = (): void => {
    socket.close(1000)
    deps.clock.after(500, terminate)
  }
  return {
    request: async (cmd, body, options = {}) => {
      const reqId = options.reqId ?? `${cmd}_${deps.random.id()}`
      return pending.send(cmd, reqId, options.timeoutMs ?? ACK_TIMEOUT_MS, () => {
        if (socket.readyState !== WebSocket.OPEN) throw notConnected(`${cmd}: the socket is closing`)
        socket.send(formatFrame(cmd, reqId, body))
      })
    },
    ended: watch(socket, pending, close, deps),
    close,
    terminate,
  }
}

function dial(wsUrl: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(wsUrl, {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      maxPayload: 16 * 1024 * 1024,
    })
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Routes frames until the socket closes. Resolves with the reason. */
function watch(
  socket: WebSocket,
  pending: PendingRequests,
  close: () => void,
  { logger, onCallback }: LinkDeps,
): SocketLink['ended'] {
  return new Promise((resolve) => {
    let end: 'closed' | 'kicked' = 'closed'
    socket.on('message', (data) => {
      const frame = parseFrame(data.toString())
      if (frame === undefined) return logger.warn({}, 'wecom: something that is not a frame arrived')
      if (frame.type === 'ack') return void pending.settle(frame.ack)
      if (isKick(frame.callback)) {
        end = 'kicked'
        close()
      }
      onCallback(frame.callback)
    })
    socket.on('error', (error) => logger.warn({ error: error.message }, 'wecom: socket error'))
    socket.once('close', () => {
      pending.lose()
      resolve(end)
    })
  })
}

function isKick(frame: CallbackFrame): boolean {
  return (
    frame.cmd === 'aibot_event_callback' &&
    /"eventtype":"disconnected_event"/.test(JSON.stringify(frame.body))
  )
}

/**
 * Says which bot the socket is for. Rejects with `wecom.subscribe_refused` for credentials that only an
 * operator can change, otherwise with the platform's error.
 */
export async function subscribe(link: SocketLink, { botId, secret }: AibotSocketConfig): Promise<void> {
  try {
    await link.request('aibot_subscribe', { bot_id: botId, secret })
  } catch (error) {
    const errcode = errcodeOf(error)
    if (!(error instanceof AppError) || errcode === undefined || PASSING.has(error.code)) throw error
    throw new AppError('wecom.subscribe_refused', error.message, {
      hint: `Check aibot.botId and aibot.secret: the secret of the long connection, not of an app (WeCom client: workbench → AI bot → API mode → long connection; or ${ADMIN_PAGE}).`,
      params: { errcode },
      cause: error,
    })
  }
}

/**
 * Judges the connection by the acknowledgements of its pings, never by silence: two missed ones end the
 * socket. Returns its end.
 */
export function keepAlive(link: SocketLink, { clock, logger }: LinkDeps): () => void {
  let missed = 0
  return every(clock, PING_EVERY_MS, async () => {
    try {
      await link.request('ping', undefined, { timeoutMs: PING_TIMEOUT_MS })
      missed = 0
    } catch (error) {
      missed += 1
      logger.warn({ missed, error: String(error) }, 'wecom: a ping was not acknowledged')
      if (missed >= 2) link.terminate()
    }
  })
}

/** Begins `task` every `ms` milliseconds, however long it takes, until the returned end. It must not reject. */
export function every(clock: Clock, ms: number, task: () => Promise<void>): () => void {
  let cancel = clock.after(ms, tick)
  function tick(): void {
    cancel = clock.after(ms, tick)
    void task()
  }
  return () => cancel()
}
