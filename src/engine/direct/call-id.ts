/** Ids of calls: ours, so that they are unique for good and legal with every provider. */
import type { ToolCall } from '../../protocol/model.ts'
import type { Random } from '../../protocol/ports.ts'

/**
 * Gives every call a new id. Approvals, intents and results refer to it beyond this conversation, and
 * providers' ids are no match for that: some count `call_0` anew in every reply, some repeat one
 * within a reply (R18), some use characters that others refuse.
 */
export function ownCalls(calls: readonly ToolCall[], random: Random): readonly ToolCall[] {
  return calls.map((call) => ({ ...call, id: `call_${random.id(10)}` }))
}
