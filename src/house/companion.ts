/** A part of the house that brings tools of its own and has something to start and stop. */
import { AppError } from '../protocol/errors.ts'
import type { AnyTool } from '../protocol/tool.ts'
import type { Lack } from '../sandbox/cell.ts'
import { findSession } from '../store/repositories/sessions.ts'
import type { ToolSource } from '../tools/catalogue.ts'
import type { HouseOptions } from './house.ts'

export interface Companion {
  readonly source: ToolSource
  start(): Promise<void>
  stop(): Promise<void>
}

const REMEDY = 'Tell the person; an operator can fix it.'

/** What the operator has not turned on: no tools, nothing to run. */
export const ABSENT: Companion = {
  source: { tools: () => [] },
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}

/**
 * Tools whose programs may be missing. `/tools` must not wait for a look at the disk, so it shows what
 * the last look found, and each showing looks again. A call that cannot work is refused when it is
 * bound, before a person is asked to approve it.
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
        // What was all right at the last look is looked at again by the tool itself.
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
