/** The Feishu simulator: the open platform on loopback, for tests, the playground and development without a tenant. */
export * from './control.ts'
export type { SimulatorSettings } from './settings.ts'
export { createFeishuSimulator } from './simulator.ts'
