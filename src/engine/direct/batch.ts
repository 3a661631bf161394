/**
 * The batch rule: consecutive read-only calls run in parallel, every other call runs alone, in order.
 * Results are appended in call order. A call that must be asked about suspends the run there.
 */
import type { OpenCall } from '../../session/projection.ts'
import { type Decision, decideCall, executeCall, type ParsedCall, type ParsedOpenCall } from './call.ts'
import type { ResultEntry } from './call-result.ts'
import type { Run } from './run.ts'

/** Calls of one reply that are run; the rest is refused with a result. */
const MAX_CALLS = 32
const MAX_PARALLEL = 8

/** `invalid`: not one of the calls could be parsed. */
export type BatchOutcome = 'done' | 'suspended' | 'invalid'

/** Works through open calls until all have results, one must wait, or the run is aborted. */
export async function runCalls(run: Run, open: readonly OpenCall[]): Promise<BatchOutcome> {
  const calls = open.map((item, i) => ({
    ...item,
    parsed: i < MAX_CALLS ? run.tools.parse(item.call) : TOO_MANY,
  }))
  for (let at = 0; at < calls.length; ) {
    if (run.signal.aborted) return 'done'
    const group = groupAt(calls, at)
    if ((await runGroup(run, group)) === 'suspended') return 'suspended'
    at += group.length
  }
  return calls.some((item) => item.parsed.ok) ? 'done' : 'invalid'
}

/** The read-only calls from `at` on, or the one call there. Broken calls have no effect, so they join. */
function groupAt(calls: readonly ParsedOpenCall[], at: number): readonly ParsedOpenCall[] {
  const harmless = (item: ParsedOpenCall): boolean => !item.parsed.ok || item.parsed.tool.readOnly
  const end = calls.findIndex((item, i) => i >= at && !harmless(item))
  if (end === at) return calls.slice(at, at + 1)
  return calls.slice(at, end === -1 ? calls.length : end)
}

async function runGroup(run: Run, group: readonly ParsedOpenCall[]): Promise<'done' | 'suspended'> {
  const decisions: Decision[] = []
  for (const item of group) {
    const decision = await decideCall(run, item)
    decisions.push(decision)
    if (decision.type === 'ask' || run.signal.aborted) break
  }
  const results = await inParallel(decisions, MAX_PARALLEL, (decision) => settle(run, decision))
  for (const result of results) if (result) await run.session.append(result)
  const asked = decisions.find((decision) => decision.type === 'ask')
  if (!asked || run.signal.aborted) return 'done'
  const { callId, approvalId, tool, title } = asked
  if (!asked.known) await run.session.append({ type: 'ask', callId, approvalId })
  await run.emit({ type: 'suspended', callId, tool, title, approvalId })
  return 'suspended'
}

async function settle(run: Run, decision: Decision): Promise<ResultEntry | undefined> {
  switch (decision.type) {
    case 'ask':
      return undefined
    case 'result':
      return decision.entry
    case 'ready':
      return executeCall(run, decision)
  }
}

/** Like `Promise.all` over `map`, with at most `width` at a time. */
async function inParallel<In, Out>(
  items: readonly In[],
  width: number,
  map: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const out: Out[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at]
      if (item !== undefined) out[at] = await map(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  return out
}

const TOO_MANY: ParsedCall = {
  ok: false,
  error: {
    type: 'limit',
    message: `Not run: a reply may hold at most ${MAX_CALLS} calls.`,
    hint: 'Call it again in a later reply if it is still needed.',
  },
}
