/** What other rooms may use of the sandbox. */

export { baseEnvironment } from './bubblewrap.ts'
export { readExitStatus } from './exit-status.ts'
export { createOutputWindow } from './output.ts'
export type { ProgramLauncher, RunningProgram } from './program.ts'
export type { Program } from './program-launch.ts'
export { findProgram } from './programs.ts'
export { createSandbox, type ProgramSandbox, type SandboxConfig } from './sandbox.ts'
export { sandboxBreaches, selfTest } from './self-test.ts'
