import type { AdapterDeps } from '../../../src/protocol/adapter.ts'

type LockDeps = Pick<AdapterDeps, 'clock' | 'lock' | 'logger'>

/** How long one process owns the socket without saying so again. */
export const LOCK_TTL_MS = 30_000

/** Tries to own `name`. A store that is away means no: two sockets would share the events at random. */
export async function takeLock(deps: Pick<LockDeps, 'lock' | 'logger'>, name: string): Promise<boolean> {
  try {
    return await deps.lock.acquire(name, LOCK_TTL_MS)
  } catch (error) {
    deps.logger.warn({ err: error }, 'feishu socket lock could not be asked for')
    return false
  }
}

/** Renews the lock three times in its life; one that cannot be renewed is lost when its life is over. */
export function keepLock(deps: LockDeps, name: string, onLost: () => void): () => void {
  let held = deps.clock.monotonic()
  let cancel = (): void => undefined
  let stopped = false
  const renew = async (): Promise<void> => {
    try {
      if (!(await deps.lock.acquire(name, LOCK_TTL_MS))) return onLost()
      held = deps.clock.monotonic()
    } catch (error) {
      deps.logger.warn({ err: error }, 'feishu socket lock could not be renewed')
      if (deps.clock.monotonic() - held >= LOCK_TTL_MS) return onLost()
    }
    if (!stopped) arm()
  }
  const arm = (): void => {
    cancel = deps.clock.after(LOCK_TTL_MS / 3, () => void renew())
  }
  arm()
  return () => {
    stopped = true
    cancel()
  }
}
