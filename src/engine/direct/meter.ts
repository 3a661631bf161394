/** Counts a run's steps and tokens, and detects loops. */
import type { Budget } from '../../protocol/engine.ts'
import type { ToolCall, Usage } from '../../protocol/model.ts'
import type { LogEntry, StoredEntry } from '../../protocol/session-log.ts'
import { argumentsObject } from '../../protocol/tool-arguments.ts'

export type Limit = 'steps' | 'tokens'

export interface Meter {
  /** Number of the next model turn of the run, from 1. */
  step(): number
  /** Counts a reply of the model. */
  add(reply: Extract<LogEntry, { type: 'assistant' }>): void
  /** Counts tokens of a request that is no reply, such as a summary. */
  spend(usage: Usage | undefined): void
  exceeded(budget: Budget): Limit | undefined
  /** True when the newest reply repeats itself: the same calls three times, or A-B-A-B. */
  loops(): boolean
  /** Counts a reply that held nothing usable; false resets. Returns how many came in a row. */
  invalid(isInvalid: boolean): number
}

/** Starts from what the log holds of this run, so that a resumed run keeps its count. */
export function createMeter(entries: readonly StoredEntry[], runId: string): Meter {
  let steps = 0
  let tokens = 0
  let invalid = 0
  const signatures: string[] = []
  const spend = (usage: Usage | undefined): void => {
    // Cached input is nearly free and the same in every step; counting it would end long runs early.
    if (usage) tokens += Math.max(0, usage.inputTokens - usage.cachedTokens) + usage.outputTokens
  }
  const add = (reply: Extract<LogEntry, { type: 'assistant' }>): void => {
    steps += 1
    spend(reply.usage)
    signatures.push(signature(reply.toolCalls))
  }
  for (const stored of entries) {
    if (stored.runId === runId && stored.entry.type === 'assistant') add(stored.entry)
  }
  return {
    step: () => steps + 1,
    add,
    spend,
    exceeded: (budget) => {
      if (steps >= budget.maxSteps) return 'steps'
      return tokens >= budget.maxTokens ? 'tokens' : undefined
    },
    loops: () => {
      const [d, c, b, a] = [...signatures.slice(-4)].reverse()
      if (!d || !c || !b) return false
      return (d === c && c === b) || (a !== undefined && a === c && b === d)
    },
    invalid: (isInvalid) => {
      invalid = isInvalid ? invalid + 1 : 0
      return invalid
    },
  }
}

function signature(calls: readonly ToolCall[]): string {
  return calls.map((call) => `${call.name} ${stable(argumentsObject(call.arguments))}`).join('\n')
}

/** JSON with sorted keys, so that the order in which a model writes its arguments does not matter. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
