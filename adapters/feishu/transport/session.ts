import type { AdapterDeps } from '../../../src/protocol/adapter.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import type { FeishuConfig } from '../config.ts'
import type { InFlight } from './in-flight.ts'
import { keepLock } from './lock.ts'
import { createSilenceWatch } from './silence.ts'
import type { OpenSocket, SocketEnd } from './socket.ts'

/** What a connection needs; `handle` rejects to have an event delivered again. */
export type SessionDeps = Pick<AdapterDeps, 'clock' | 'random' | 'logger' | 'lock'> & {
  readonly handle: (payload: unknown) => Promise<object | undefined>
  readonly openSocket: OpenSocket
}

/** Why a connection is over. */
export type Ending =
  | SocketEnd
  | { readonly type: 'silent' }
  | { readonly type: 'lock_lost' }
  | { readonly type: 'stopped' }

const DRAIN_MS = 5_000

/**
 * One connection from opening to closing, while this process owns `lockName`. On `stopping` running
 * handlers finish and their acknowledgements go out first.
 */
export async function runSession(
  config: FeishuConfig,
  deps: SessionDeps,
  session: {
    readonly lockName: string
    readonly inFlight: InFlight
    readonly stopping: AbortSignal
    readonly onConnected: () => void
  },
): Promise<Ending> {
  const { inFlight, stopping } = session
  const watch = createSilenceWatch(deps.clock)
  const ending = Promise.withResolvers<Ending>()
  const socket = await deps.openSocket(config, deps.logger, {
    handle: (payload) => {
      // Not acknowledged, so that another process gets it.
      if (stopping.aborted) throw new AppError('feishu.stopping', 'this process is stopping')
      return inFlight.track(() => deps.handle(payload))
    },
    onFrame: watch.seen,
    onEnd: ending.resolve,
    onReady: () => {
      watch.seen()
      session.onConnected()
    },
  })
  const stopWatching = watch.start(socket, () => ending.resolve({ type: 'silent' }))
  const stopRenewing = keepLock(deps, session.lockName, () => ending.resolve({ type: 'lock_lost' }))
  const onStop = (): void => ending.resolve({ type: 'stopped' })
  if (stopping.aborted) onStop()
  stopping.addEventListener('abort', onStop, { once: true })
  const how = await ending.promise
  stopping.removeEventListener('abort', onStop)
  stopWatching()
  stopRenewing()
  if (how.type === 'stopped') {
    await inFlight.drained(DRAIN_MS)
    // The SDK writes the acknowledgement right after the handler's promise has settled.
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  socket.close()
  return how
}
