import type { ModelMessage } from '../../src/protocol/model.ts'

/** Faults for which some provider refuses a history; empty when it is legal everywhere. */
export function historyFaults(messages: readonly ModelMessage[]): string[] {
  const faults: string[] = []
  const ids = new Set<string>()
  const first = messages[0]
  const last = messages.at(-1)
  if (first && first.role !== 'user') faults.push(`begins with ${first.role}`)
  if (last?.role === 'assistant' && last.toolCalls.length > 0) faults.push('ends with open calls')
  for (const [i, message] of messages.entries()) {
    if (!JSON.stringify(message).isWellFormed() || /\\ud[89ab]/i.test(JSON.stringify(message))) {
      faults.push(`${i}: lone surrogate`)
    }
    if (message.role === 'tool') {
      const before = messages.slice(0, i).findLast((other) => other.role !== 'tool')
      const known =
        before?.role === 'assistant' && before.toolCalls.some((call) => call.id === message.callId)
      if (!known) faults.push(`${i}: result of no call`)
    }
    if (message.role !== 'assistant') continue
    if (message.text === '' && message.toolCalls.length === 0) faults.push(`${i}: empty assistant`)
    for (const [n, call] of message.toolCalls.entries()) {
      const result = messages[i + 1 + n]
      if (result?.role !== 'tool' || result.callId !== call.id)
        faults.push(`${i}: call ${n} has no result in order`)
      if (ids.has(call.id)) faults.push(`${i}: id ${call.id} twice`)
      ids.add(call.id)
      if (!isObject(call.arguments)) faults.push(`${i}: arguments are no JSON object`)
    }
  }
  return faults
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
