/** Mounts the playground page over the simulated tenants. */
import { sessionRuns, type TitleOf } from './console/session-runs.ts'
import type { Mount } from './http/application.ts'
import { createTranslate } from './locale/index.ts'
import type { Models } from './model/catalogue.ts'
import type { PlaygroundMcp, SimulatedTenants } from './protocol/playground.ts'
import type { Clock, Locale, Logger } from './protocol/ports.ts'
import type { Store } from './store/store.ts'

export interface PlaygroundMountDeps {
  readonly store: Store
  readonly tenants: SimulatedTenants
  readonly models: Models
  readonly locale: Locale
  readonly titleOf: TitleOf
  readonly mcp: PlaygroundMcp
  readonly version: string
  readonly clock: Clock
  readonly logger: Logger
}

/** The mount at `/playground`; its code is loaded at the first request. */
export function playgroundMount(deps: PlaygroundMountDeps): Mount {
  return {
    path: '/playground',
    direct: true,
    load: async ({ closing }) => {
      const { createPlayground } = await import('./console/playground.ts')
      const model = deps.models.get(deps.models.defaultName, '')
      return createPlayground({
        backends: deps.tenants.backends,
        runs: (chat) => sessionRuns(deps.store.db, chat, deps.titleOf),
        mcp: deps.mcp,
        about: { version: deps.version, model: model.name, demo: model.disclosure !== undefined },
        locale: deps.locale,
        notBuilt: createTranslate(deps.locale)('console.not_built'),
        clock: deps.clock,
        logger: deps.logger,
        closing,
      })
    },
  }
}
