/** Keeps the history within the model's context: when it is compacted, and what people are told. */

import type { ToolSpec } from '../../protocol/model.ts'
import { compact, promptTokens } from '../../session/compaction.ts'
import { openCalls, splitAtSummary } from '../../session/projection.ts'
import type { Run } from './run.ts'
import { reportUsage } from './turn-usage.ts'

/** Share of the input room at which the history is compacted, and shares of it that are kept. */
const FULL = 0.8
const KEEP = 0.25
const KEEP_AFTER_OVERFLOW = 0.1
const KEEP_ON_REQUEST = 0.02

/** Compacts when the next request would fill the context. */
export async function compactIfNearlyFull(run: Run): Promise<void> {
  const used = promptTokens(run.session.entries(), () => fixedText(run), run.memo.sizes)
  if (used > inputRoom(run) * FULL) await shrink(run, KEEP)
}

/** Compacts because a person asked for it, however much room there is; a run that goes on skips it. */
export async function compactOnRequest(run: Run): Promise<void> {
  if (openCalls(run.session.entries()).length === 0) await shrink(run, KEEP_ON_REQUEST)
}

/** Compacts hard after the provider refused a request as too long; false when nothing can be left out. */
export async function compactAfterOverflow(run: Run): Promise<boolean> {
  return shrink(run, KEEP_AFTER_OVERFLOW)
}

async function shrink(run: Run, keep: number): Promise<boolean> {
  const { model, text, logger } = run.deps
  const room = inputRoom(run)
  await run.emit({ type: 'status', text: text('engine.compacting') })
  const result = await compact(run.session.entries(), {
    model,
    sessionId: run.session.sessionId,
    keepTokens: Math.floor(room * keep),
    inputTokens: Math.floor(room * (keep === KEEP ? FULL : 0.5)),
    signal: run.signal,
  })
  if (!result) return false
  run.meter.spend(result.usage)
  await reportUsage(run, result.usage)
  if (result.failure) {
    logger.warn(
      { code: result.failure.code, hint: result.failure.hint },
      'the history could not be summed up',
    )
    await run.emit({ type: 'status', text: text('engine.compaction_failed') })
  }
  await run.session.append(result.entry)
  return true
}

function inputRoom(run: Run): number {
  const { contextTokens, maxOutputTokens } = run.deps.model
  // A profile may name an output limit near its whole context; half is always left for the input.
  return contextTokens - Math.min(maxOutputTokens, Math.floor(contextTokens / 2))
}

/** The tools that the next request carries. */
export function offeredSpecs({ deps, tools, session }: Run): readonly ToolSpec[] {
  if (deps.model.takesAllTools) return tools.specs
  return tools.offered(splitAtSummary(session.entries()).kept.map(({ entry }) => entry))
}

function fixedText(run: Run): string {
  return run.deps.system + JSON.stringify(offeredSpecs(run))
}
