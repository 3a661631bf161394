/** What other rooms may use of the sandbox. */
export { type ExitStatus, readExitStatus } from './exit-status.ts'
export { createOutputWindow } from './output.ts'
export { createSandbox, type SandboxConfig, type SandboxDeps } from './sandbox.ts'
export { type SelfTestItem, type SelfTestOptions, selfTest } from './self-test.ts'
