/** The virtual desktops of the sessions, if the operator turned them on. */
import { createDesktops } from '../desktop/desktops.ts'
import { createCells } from '../sandbox/cell.ts'
import { createDesktopTools } from '../tools/desktop/index.ts'
import { onShelf } from '../tools/shelves.ts'
import type { HouseOptions } from './house.ts'
import { epochOf, NO_MODULE, sourceWithProblem, type ToolModule } from './tool-module.ts'

/** The desktop tools, or none when `computer.enabled` is false. */
export function buildDesktop(options: HouseOptions): ToolModule {
  const { config, clock, logger } = options
  if (!config.computer.enabled) return NO_MODULE
  const { programs, max, idle } = config.computer
  const desktops = createDesktops({
    ...{ programs, max, clock },
    idleMs: idle,
    cells: createCells(config.sandbox.user, clock),
    epoch: epochOf(options),
  })
  const source = sourceWithProblem(onShelf('desktop', createDesktopTools(desktops)), desktops.problem)
  return {
    source,
    start: async () => {
      const problem = await source.look()
      if (problem !== undefined)
        logger.warn({ problem: problem.message }, 'the desktop tools cannot be used yet')
    },
    stop: desktops.stop,
  }
}
