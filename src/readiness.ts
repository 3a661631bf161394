/**
 * Whether the process should get traffic: the store takes writes, the sandbox holds, the bots are
 * connected, and neither the event loop nor the thread pool is stuck.
 */
import type { Bots } from './bots.ts'
import type { ReadyCheck } from './http/application.ts'
import type { Pulse } from './observability/pulse.ts'
import type { Sandbox } from './protocol/sandbox.ts'
import type { Store } from './store/store.ts'

/** Who waits this long for the loop or for a thread answers nobody in time: Feishu's callbacks wait three seconds. */
const MOST_WAIT_MS = 500

export interface ReadinessDeps {
  readonly store: Store
  readonly sandbox: Sandbox
  readonly bots: Bots
  readonly pulse: Pulse
  /** Tries from inside what the sandbox must refuse; resolves with what it let happen. */
  readonly tryWalls: () => Promise<readonly string[]>
  /** Aborts when a stop begins: whoever shares out traffic goes elsewhere, while this one finishes its work. */
  readonly leaving: AbortSignal
}

export function createReadiness(deps: ReadinessDeps): { ready(): Promise<readonly ReadyCheck[]> } {
  const walls = createWallsCheck(deps)
  const storeCheck = async (): Promise<ReadyCheck> => {
    try {
      await deps.store.probe()
      return { check: 'store', ok: true, detail: '' }
    } catch (error) {
      return { check: 'store', ok: false, detail: error instanceof Error ? error.message : String(error) }
    }
  }
  return {
    ready: async () => [
      ...(deps.leaving.aborted ? [{ check: 'service', ok: false, detail: 'it is stopping' }] : []),
      promptness('loop', deps.pulse.loopMs(), 'the event loop stood still for'),
      promptness('threads', await deps.pulse.poolMs(), 'a job waited for a thread for'),
      ...(await Promise.all([storeCheck(), walls()])),
      ...deps.bots.all().map((adapter) => {
        const { state, detail } = adapter.status()
        return {
          check: `bot:${adapter.botId}`,
          ok: state === 'connected' || state === 'standby',
          detail: state === 'connected' ? '' : `${state} ${detail}`.trim(),
        }
      }),
    ],
  }
}

function promptness(check: string, ms: number, what: string): ReadyCheck {
  const ok = ms <= MOST_WAIT_MS
  return { check, ok, detail: ok ? '' : `${what} ${Math.round(ms)} ms` }
}

/** The walls do not change while the process lives: once they have held they are not tried again. */
function createWallsCheck({ sandbox, tryWalls }: ReadinessDeps): () => Promise<ReadyCheck> {
  const check = 'sandbox'
  let tried: Promise<string> | undefined
  return async () => {
    const { kind, reason } = sandbox.status()
    if (kind !== 'bubblewrap') return { check, ok: kind !== 'unavailable', detail: reason }
    const attempt = tried ?? tryWalls().then(holes, untried)
    tried = attempt
    const detail = await attempt
    if (detail !== '' && tried === attempt) tried = undefined
    return { check, ok: detail === '', detail }
  }
}

function holes(open: readonly string[]): string {
  return open.length === 0 ? '' : `the sandbox does not refuse: ${open.join(', ')}`
}

function untried(error: unknown): string {
  return `the sandbox could not be tried: ${error instanceof Error ? error.message : String(error)}`
}
