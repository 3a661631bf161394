import { defineConfig } from 'vitest/config'
import { WaitingFirst } from './support/sequence.ts'

/** What starts whole services, browsers and other programs. */
const WHOLE = ['e2e', 'browser', 'chaos', 'conformance'].map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Of tests in a file that say that they mostly wait: as many as there are cores.
    maxConcurrency: 2,
    pool: 'forks',
    // One more than the two cores of the smallest machine: some tests wait for a platform's clock.
    maxWorkers: 3,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    sequence: { sequencer: WaitingFirst },
    projects: [
      { extends: true, test: { name: 'whole', include: WHOLE } },
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: WHOLE,
          // Modules keep no state, so the files of a worker share them: a quarter of the processor time.
          isolate: false,
        },
      },
    ],
  },
})
