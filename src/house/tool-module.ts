/** A group of tools with a lifecycle of its own, such as the browser or video. */
import { AppError } from '../protocol/errors.ts'
import type { AnyTool } from '../protocol/tool.ts'
import type { Lack } from '../sandbox/cell.ts'
import { findSession } from '../store/repositories/sessions.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import type { HouseOptions } from './house.ts'

export interface ToolModule {
  readonly source: ToolSource
  start(): Promise<void>
  stop(): Promise<void>
}

const REMEDY = 'Tell the person; an operator can fix it.'

/** Module of a feature that the configuration leaves off: no tools, nothing to start. */
export const NO_MODULE: ToolModule = {
  source: { tools: () => [] },
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}

/**
 * Tools that need programs which may be missing. `/tools` must not wait for the disk, so it shows the result of the
 * last check and starts a new one. A call that cannot work is refused when it is bound (`tool.unavailable`), before
 * a person is asked to approve it.
 */
export function sourceWithProblem(
  tools: readonly AnyTool[],
  look: () => Promise<Lack | undefined>,
): ToolSource & { look(): Promise<Lack | undefined> } {
  let found: Lack | undefined
  const again = async (): Promise<Lack | undefined> => {
    found = await look()
    return found
  }
  const guarded = tools.map(
    (tool): AnyTool => ({
      ...tool,
      bind: async (args, ctx) => {
        // Only a problem found earlier is checked again here; otherwise the tool itself reports it.
        const lack = found && (await again())
        if (lack) throw new AppError('tool.unavailable', lack.message, { hint: REMEDY })
        return (await tool.bind?.(args, ctx)) ?? { tool: tool.name, args }
      },
    }),
  )
  return {
    look: again,
    tools: () => guarded,
    problem: (tool, text) => {
      if (!guarded.includes(tool)) return undefined
      const before = found
      void again()
      return before && text(`lack.${before.key}`, { ...before.params })
    },
  }
}

/** The number of a session's conversation; `/new` raises it. */
export function epochOf({ store }: HouseOptions): (sessionId: string) => Promise<number> {
  return async (sessionId) => (await findSession(store.db, sessionId))?.epoch ?? 0
}
