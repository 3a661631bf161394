/** The browser of the sessions, if the operator turned it on. */
import { join } from 'node:path'
import { createBrowsers } from '../browser/browsers.ts'
import { createCells } from '../sandbox/cell.ts'
import { createBrowserTools } from '../tools/browser/index.ts'
import { onShelf } from '../tools/shelves.ts'
import type { HouseOptions } from './house.ts'
import { epochOf, NO_MODULE, sourceWithProblem, type ToolModule } from './tool-module.ts'

const SWEEP_MS = 3_600_000

/** The browser tools, or none when `browser.enabled` is false. */
export function buildBrowser(options: HouseOptions): ToolModule {
  const { config, clock, logger } = options
  if (!config.browser.enabled) return NO_MODULE
  const { allow, max, idle, keep } = config.browser
  const browsers = createBrowsers({
    rule: { allow },
    limits: { max, idleMs: idle, keepMs: keep },
    cells: createCells(config.sandbox.user, clock),
    epoch: epochOf(options),
    clock,
    logger,
    privateRoot: join(options.dataDir, 'private'),
  })
  const source = sourceWithProblem(onShelf('browser', createBrowserTools(browsers)), browsers.problem)
  let cancelSweep = (): void => undefined
  const sweep = (): void => {
    browsers.sweep()
    cancelSweep = clock.after(SWEEP_MS, sweep)
  }
  return {
    source,
    start: async () => {
      sweep()
      const problem = await source.look()
      if (problem !== undefined)
        logger.warn({ problem: problem.message }, 'the browser tools cannot be used yet')
    },
    stop: () => {
      cancelSweep()
      return browsers.stop()
    },
  }
}
