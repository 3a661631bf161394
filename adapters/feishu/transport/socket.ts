/**
 * One connection of the vendor's `WSClient`, with what it gets wrong put right: card frames that it
 * drops, pongs that would make it flood the server, a reconnect loop of its own. The methods it keeps
 * private are replaced by name; if a new version has none of that name, opening fails and says so.
 */
import { z } from 'zod'
import { AppError } from '../../../src/protocol/errors.ts'
import type { Logger } from '../../../src/protocol/ports.ts'
import { baseUrl, type FeishuConfig } from '../config.ts'
import { createSdkLogger } from './sdk-logger.ts'

/** Why a socket is over, as far as the SDK can tell. */
export type SocketEnd =
  | { readonly type: 'closed' }
  /** The endpoint answered with a code after which the SDK gives up. */
  | { readonly type: 'refused'; readonly code: number; readonly message: string }

/** What a socket reports. */
export interface SocketEvents {
  /** Hands in one payload; what it resolves to goes back with the acknowledgement. */
  handle(payload: unknown): Promise<object | undefined>
  onReady(): void
  /** Anything came from the server. */
  onFrame(): void
  /** The connection is over, or never came about. Called once. */
  onEnd(end: SocketEnd): void
}

/** An opening or open connection. */
export interface Socket {
  /** Asks the peer for a sign of life; false when none comes before `signal`. */
  probe(signal: AbortSignal): Promise<boolean>
  close(): void
}

/** Opens one connection; rejects only when the SDK cannot be used at all. */
export type OpenSocket = (config: FeishuConfig, logger: Logger, events: SocketEvents) => Promise<Socket>

/** Seconds after a ping in which something must come back; the SDK watches this only when told to. */
const PING_TIMEOUT_SECONDS = 20
const HANDSHAKE_TIMEOUT_MS = 15_000
/** The SDK refuses any other form by a line in the log, and then never calls back. */
const APP_ID = /^cli_[0-9a-fA-F]{16}$/

/** Opens a socket. The SDK is loaded here, because it costs half a second and 60 MB. */
export const openSocket: OpenSocket = async (config, logger, events) => {
  if (!APP_ID.test(config.appId)) {
    throw new AppError('feishu.bad_app_id', `${config.appId} is not an App ID`, {
      hint: 'An App ID is cli_ and 16 hexadecimal digits.',
    })
  }
  const sdk = await import('@larksuiteoapi/node-sdk')
  const sdkLogger = createSdkLogger(logger, config.appSecret)
  let ended = false
  const end = (how: SocketEnd): void => {
    if (ended) return
    ended = true
    events.onEnd(how)
  }
  class RawDispatcher extends sdk.EventDispatcher {
    override invoke(payload: unknown): Promise<unknown> {
      return events.handle(payload)
    }
  }
  const client = new sdk.WSClient({
    appId: config.appId,
    appSecret: config.appSecret,
    domain: baseUrl(config.domain),
    logger: sdkLogger,
    loggerLevel: sdk.LoggerLevel.info,
    autoReconnect: false,
    handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
    wsConfig: { pingTimeout: PING_TIMEOUT_SECONDS },
    onReady: () => events.onReady(),
    onError: (error) => end(readRefusal(error.message)),
  })
  // Called for every lost connection and every failed first try; reconnecting is the supervisor's work.
  replaceMethod(client, 'reConnect', (original, isStart) => {
    if (isStart === true) return original(true)
    end({ type: 'closed' })
    return Promise.resolve()
  })
  const pings = watchPings(client)
  const seen = (): void => {
    pings.answered()
    events.onFrame()
  }
  replaceMethod(client, 'handleEventData', (original, frame) => {
    seen()
    return original(asEventFrame(frame))
  })
  replaceMethod(client, 'handleControlData', (original, frame) => {
    seen()
    return isHarmless(frame) ? original(frame) : Promise.resolve()
  })
  await client.start({
    eventDispatcher: new RawDispatcher({ logger: sdkLogger, loggerLevel: sdk.LoggerLevel.warn }),
  })
  return {
    probe: pings.probe,
    close: () => {
      ended = true
      client.close()
    },
  }
}

function replaceMethod(
  client: object,
  name: string,
  replacement: (original: (argument: unknown) => unknown, argument: unknown) => unknown,
): void {
  const original: unknown = Reflect.get(client, name)
  if (typeof original !== 'function') {
    throw new AppError('feishu.sdk_changed', `the Feishu SDK has no method ${name} any more`, {
      hint: 'Install the version of @larksuiteoapi/node-sdk that package.json names.',
    })
  }
  const call = (argument: unknown): unknown => Reflect.apply(original, client, [argument])
  Reflect.set(client, name, (argument: unknown) => replacement(call, argument))
}

/** `pullConnectConfig failed: code=514, msg=…` → code and message; anything else is a closed connection. */
function readRefusal(message: string): SocketEnd {
  const [, code, reason = ''] = /code=(\d+), msg=(.*)/s.exec(message) ?? []
  return code === undefined ? { type: 'closed' } : { type: 'refused', code: Number(code), message: reason }
}

const frameSchema = z.looseObject({ headers: z.array(z.looseObject({ key: z.string(), value: z.string() })) })

/** Clicks may come in frames of type `card`, which the SDK drops unanswered; as `event` they work. */
function asEventFrame(frame: unknown): unknown {
  const parsed = frameSchema.safeParse(frame)
  if (!parsed.success) return frame
  const { headers } = parsed.data
  if (!headers.some((header) => header.key === 'type' && header.value === 'card')) return frame
  const renamed = headers.map((header) => (header.key === 'type' ? { ...header, value: 'event' } : header))
  return Object.assign({}, frame, { headers: renamed })
}

const controlSchema = z.looseObject({ payload: z.instanceof(Uint8Array).nullish() })
const pongSchema = z.looseObject({
  PingInterval: z.number().positive(),
  ReconnectCount: z.number(),
  ReconnectInterval: z.number(),
  ReconnectNonce: z.number(),
})

/** A pong with missing fields would set the ping interval to NaN, and the SDK would ping without pause. */
function isHarmless(frame: unknown): boolean {
  const payload = controlSchema.safeParse(frame).data?.payload
  if (!payload || payload.length === 0) return false
  try {
    return pongSchema.safeParse(JSON.parse(new TextDecoder().decode(payload))).success
  } catch {
    return false
  }
}

const pingSchema = z.looseObject({ method: z.literal(0) })

/**
 * Remembers the SDK's own ping, so that it can be sent again to ask whether the other side still
 * works. A ping of the WebSocket protocol would be answered by any proxy in between.
 */
function watchPings(client: object): { answered(): void; probe(signal: AbortSignal): Promise<boolean> } {
  let sendAgain: (() => unknown) | undefined
  let onAnswer: (() => void) | undefined
  replaceMethod(client, 'sendMessage', (original, frame) => {
    if (pingSchema.safeParse(frame).success) sendAgain = () => original(frame)
    return original(frame)
  })
  return {
    answered: () => onAnswer?.(),
    probe: (signal) =>
      new Promise((resolve) => {
        onAnswer = () => resolve(true)
        signal.addEventListener('abort', () => resolve(false), { once: true })
        sendAgain?.()
      }),
  }
}
