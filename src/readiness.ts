/** Whether the process should get traffic: the store takes writes, the sandbox works, the bots are connected. */
import type { Bots } from './bots.ts'
import type { ReadyCheck } from './http/application.ts'
import type { Sandbox } from './protocol/sandbox.ts'
import type { Store } from './store/store.ts'

export function createReadiness(deps: { store: Store; sandbox: Sandbox; bots: Bots }): {
  ready(): Promise<readonly ReadyCheck[]>
} {
  const storeCheck = async (): Promise<ReadyCheck> => {
    try {
      await deps.store.probe()
      return { check: 'store', ok: true, detail: '' }
    } catch (error) {
      return { check: 'store', ok: false, detail: error instanceof Error ? error.message : String(error) }
    }
  }
  return {
    ready: async () => {
      const { kind, reason } = deps.sandbox.status()
      return [
        await storeCheck(),
        { check: 'sandbox', ok: kind !== 'unavailable', detail: reason },
        ...deps.bots.all().map((adapter) => {
          const { state, detail } = adapter.status()
          return {
            check: `bot:${adapter.botId}`,
            ok: state === 'connected',
            detail: state === 'connected' ? '' : `${state} ${detail}`.trim(),
          }
        }),
      ]
    },
  }
}
