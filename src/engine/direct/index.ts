/**
 * The direct engine: our own tool loop over a {@link Model}. A run is a fold over the session log, so
 * it may stop after any step and go on in another process. It knows the batch rule and the limits;
 * it refuses to judge a call itself and to keep anything in memory that a resume would need.
 */
import type { AgentEvent, Engine } from '../../protocol/engine.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { createToolRegistry, type ToolRegistry } from '../../tools/registry.ts'
import { asEvents } from './event-stream.ts'
import { runLoop } from './loop.ts'
import { startRun } from './run.ts'

/** One engine serves all sessions; it keeps nothing but the registries of the tool lists it was given. */
export function createDirectEngine(): Engine {
  const registries = new WeakMap<readonly AnyTool[], ToolRegistry>()
  const registryOf = (tools: readonly AnyTool[]): ToolRegistry => {
    const known = registries.get(tools) ?? createToolRegistry(tools)
    registries.set(tools, known)
    return known
  }
  return {
    name: 'direct',
    run: (session, deps, signal) => {
      const abandoned = new AbortController()
      const work = async (emit: (event: AgentEvent) => Promise<void>): Promise<void> => {
        const stop = AbortSignal.any([signal, abandoned.signal])
        const run = startRun(session, deps, registryOf(deps.tools), stop, emit)
        try {
          await runLoop(run)
        } finally {
          run.close()
        }
      }
      return asEvents(work, () => abandoned.abort(new Error('nobody reads the events any more')))
    },
  }
}
