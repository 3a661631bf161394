/** A part of the house that brings tools of its own and has something to start and stop. */
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

/** What the operator has not turned on: no tools, nothing to run. */
export const ABSENT: Companion = {
  source: { tools: () => [] },
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}

/**
 * Tools whose programs may be missing. `/tools` must not wait for a look at the disk, so it shows what
 * the last look found, and each showing looks again.
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
  return {
    look: again,
    tools: () => tools,
    problem: (tool, text) => {
      if (!tools.includes(tool)) return undefined
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
