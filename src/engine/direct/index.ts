/**
 * The direct engine: our own tool loop over a {@link Model}. A run is a fold over the session log, so
 * it may stop after any step and go on in another process. It knows the batch rule and the limits;
 * it refuses to judge a call itself and to keep anything in memory that a resume would need.
 */
import type { AgentEvent, Engine } from '../../protocol/engine.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { createToolRegistry, type ToolRegistry } from '../../tools/registry.ts'
import { asEvents } from './event-stream.ts'
import { agentHost } from './helper.ts'
import { runLoop } from './loop.ts'
import { emptyMemo, type Memo, startRun } from './run.ts'

/** Platforms times rights: few lists of tools are in use at a time, and their schemas cost some ms. */
const KEPT_REGISTRIES = 16
const KEPT_MEMOS = 16

/** One engine serves all sessions; it keeps nothing but what follows from tool lists and entries. */
export function createDirectEngine(): Engine {
  const registries: ToolRegistry[] = []
  const registryOf = (tools: readonly AnyTool[]): ToolRegistry => {
    const known = registries.find((registry) => sameTools(registry.tools, tools))
    if (known) return known
    const made = createToolRegistry(tools)
    registries.unshift(made)
    registries.length = Math.min(registries.length, KEPT_REGISTRIES)
    return made
  }
  // Messages are made for one model: reasoning goes back only to the one whose it is.
  const memos = new Map<string, Memo>()
  const memoOf = (model: string): Memo => {
    const memo = memos.get(model) ?? emptyMemo()
    if (memos.size >= KEPT_MEMOS) memos.clear()
    memos.set(model, memo)
    return memo
  }
  return {
    name: 'direct',
    run: (session, deps, signal) => {
      const abandoned = new AbortController()
      const work = async (emit: (event: AgentEvent) => Promise<void>): Promise<void> => {
        const stop = AbortSignal.any([signal, abandoned.signal])
        const run = startRun(session, deps, registryOf(deps.tools), stop, emit, {
          memo: memoOf(deps.model.name),
          hostOf: agentHost,
        })
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

function sameTools(a: readonly AnyTool[], b: readonly AnyTool[]): boolean {
  return a.length === b.length && a.every((tool, i) => tool === b[i])
}
