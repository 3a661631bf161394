/** The platforms. A new one is a folder here, a line below, its section of the configuration, and its tests. */
import type { Adapter, AdapterDeps } from '../src/protocol/adapter.ts'
import { createFeishuAdapter } from './feishu/adapter.ts'
import type { FeishuConfig } from './feishu/config.ts'
import { createWecomAdapter } from './wecom/adapter.ts'
import type { WecomConfig } from './wecom/config.ts'

export type AdapterConfig =
  | ({ readonly platform: 'feishu' } & FeishuConfig)
  | ({ readonly platform: 'wecom' } & WecomConfig)

/** Builds the adapter of one configured bot. Nothing is connected before `start`. */
export function createAdapter(config: AdapterConfig, deps: AdapterDeps): Adapter {
  switch (config.platform) {
    case 'feishu':
      return createFeishuAdapter(config, deps)
    case 'wecom':
      return createWecomAdapter(config, deps)
  }
}
