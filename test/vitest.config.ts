import { defineConfig } from 'vitest/config'
import { WaitingFirst } from './support/sequence.ts'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/run-folder.ts',
    // For what hangs; a slow machine, or one with other work, must not turn red.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Twice the two cores of the smallest machine: what starts services and browsers waits half of its time.
    maxWorkers: 4,
    // Of tests that say that they may run at once, in one file.
    maxConcurrency: 2,
    // Modules keep no state, so the files of a worker share them: a quarter of the processor time.
    isolate: false,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    sequence: { sequencer: WaitingFirst },
  },
})
