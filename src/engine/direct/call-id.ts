/** Ids of calls: unique in the whole session and legal with every provider. */
import type { ToolCall } from '../../protocol/model.ts'
import type { Random } from '../../protocol/ports.ts'
import type { StoredEntry } from '../../protocol/session-log.ts'

/** What Anthropic accepts; others are wider. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Keeps a provider's id when it is legal and new, else gives a new one. Approvals, intents and
 * results refer to the id, and some servers count `call_0` anew in every reply.
 */
export function uniqueCalls(
  calls: readonly ToolCall[],
  entries: readonly StoredEntry[],
  random: Random,
): readonly ToolCall[] {
  const used = new Set<string>()
  for (const { entry } of entries) {
    if (entry.type === 'assistant') for (const call of entry.toolCalls) used.add(call.id)
  }
  return calls.map((call) => {
    const id = LEGAL.test(call.id) && !used.has(call.id) ? call.id : `call_${random.id(10)}`
    used.add(id)
    return { ...call, id }
  })
}
