/**
 * Whether the process should get traffic: the store takes writes, the sandbox holds, the bots are
 * connected, and neither the event loop nor the thread pool is stuck.
 */
import type { Bots } from './bots.ts'
import type { ReadyCheck } from './http/application.ts'
import type { StallMonitor } from './observability/stall-monitor.ts'
import type { Sandbox } from './protocol/sandbox.ts'
import type { Store } from './store/store.ts'

/** Longest acceptable wait for the event loop or a thread, milliseconds; Feishu allows three seconds for a callback. */
const MOST_WAIT_MS = 500

export interface ReadinessDeps {
  readonly store: Store
  readonly sandbox: Sandbox
  readonly bots: Bots
  readonly stalls: StallMonitor
  /** Runs the sandbox self-test; resolves with the attempts that the sandbox failed to refuse. */
  readonly findBreaches: () => Promise<readonly string[]>
  /** Aborts when a stop begins: whoever shares out traffic goes elsewhere, while this one finishes its work. */
  readonly leaving: AbortSignal
}

/** Never rejects: a check that fails is a check that is not ok. */
export function createReadiness(deps: ReadinessDeps): { ready(): Promise<readonly ReadyCheck[]> } {
  const walls = createSandboxCheck(deps)
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
      promptness('loop', deps.stalls.loopMs(), 'the event loop stood still for'),
      promptness('threads', await deps.stalls.poolMs(), 'a job waited for a thread for'),
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

/** Runs the sandbox self-test once and caches a good result; a failed one is repeated at the next check. */
function createSandboxCheck({ sandbox, findBreaches }: ReadinessDeps): () => Promise<ReadyCheck> {
  const check = 'sandbox'
  let tried: Promise<string> | undefined
  return async () => {
    const { kind, reason } = sandbox.status()
    if (kind !== 'bubblewrap') return { check, ok: kind !== 'unavailable', detail: reason }
    const attempt = tried ?? findBreaches().then(holes, untried)
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
