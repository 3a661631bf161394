/** What other rooms may use of the sandbox. */
export { readExitStatus } from './exit-status.ts'
export { createOutputWindow } from './output.ts'
export { createSandbox, type SandboxConfig } from './sandbox.ts'
export { selfTest } from './self-test.ts'
