import type { Clock } from '../../../../src/protocol/ports.ts'
import type { Sandbox } from '../../../../src/protocol/sandbox.ts'
import type { AnyTool } from '../../../../src/protocol/tool.ts'
import { createSystemClock } from '../../../../src/system/clock.ts'
import {
  createJobs,
  type JobEnd,
  type Jobs,
  workstationTools,
} from '../../../../src/tools/workstation/index.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { createSeededRandom } from '../../../support/random.ts'
import { type ToolBench, toolBench } from '../bench.ts'

export interface Workbench extends ToolBench {
  readonly tools: readonly AnyTool[]
  readonly jobs: Jobs
  /** Commands that ended while nobody was waiting. */
  readonly ended: JobEnd[]
}

/** A session with the 19 workstation tools. */
export function workbench(options: { readonly sandbox?: Sandbox; readonly clock?: Clock } = {}): Workbench {
  const clock = options.clock ?? createSystemClock()
  const ended: JobEnd[] = []
  const jobs = createJobs({
    clock,
    random: createSeededRandom(),
    logger: createCollectingLogger(),
    onEnded: async (end) => {
      ended.push(end)
    },
  })
  const tools = workstationTools({ clock, jobs })
  return Object.assign(toolBench({ ...options, clock, tools }), { tools, jobs, ended })
}
