/** Notices when a tool begins to fail or to be slow, compared with how it was before. */
import type { Clock } from '../protocol/ports.ts'
import type { CallReport } from '../protocol/tool-calls.ts'

/** `recent` is how many of the newest calls were compared with those before them. */
export type CallAlert =
  | {
      readonly kind: 'failures'
      readonly tool: string
      readonly recent: number
      readonly failures: number
      /** Share of earlier calls that failed, 0 to 1. */
      readonly before: number
      readonly reason: string
    }
  | {
      readonly kind: 'slow'
      readonly tool: string
      readonly recent: number
      /** Medians, milliseconds. */
      readonly nowMs: number
      readonly beforeMs: number
    }

/** The newest calls, which are compared with those before them. */
const RECENT = 10
const EARLIER = 200
/** Times are compared only once so many calls are known. */
const EARLIER_NEEDED = 20
const FAILED_SHARE = 0.5
const FAILED_TIMES = 3
const SLOW_TIMES = 4
const SLOW_MS = 1_000
/** One kind of alert of one tool comes at most this often. */
const QUIET_MS = 30 * 60_000
const MOST_TOOLS = 500

/** Failures that are the caller's: a wrong argument says nothing about the tool's health. */
const CALLERS_FAULT = new Set(['invalid_argument', 'not_found', 'refused', 'stopped', 'limit'])

interface Seen {
  readonly ms: number
  readonly failed: boolean
}

/** Returns the alert that this call gives cause for, if any. */
export function createCallAlert(
  clock: Pick<Clock, 'monotonic'>,
): (call: CallReport) => CallAlert | undefined {
  const seen = new Map<string, Seen[]>()
  const quietUntil = new Map<string, number>()
  return (call) => {
    if (call.status === 'denied' || call.tool === 'unknown' || CALLERS_FAULT.has(call.error?.type ?? ''))
      return undefined
    const calls = seen.get(call.tool) ?? []
    if (seen.size >= MOST_TOOLS) seen.clear()
    seen.set(call.tool, calls)
    calls.push({ ms: call.ms, failed: call.status === 'failed' })
    if (calls.length > RECENT + EARLIER) calls.shift()
    const alert = failing(call, calls) ?? slow(call, calls)
    if (!alert) return undefined
    const key = `${alert.kind} ${alert.tool}`
    if ((quietUntil.get(key) ?? Number.NEGATIVE_INFINITY) > clock.monotonic()) return undefined
    quietUntil.set(key, clock.monotonic() + QUIET_MS)
    return alert
  }
}

function failing(call: CallReport, calls: readonly Seen[]): CallAlert | undefined {
  if (call.status !== 'failed' || calls.length < RECENT) return undefined
  const recent = calls.slice(-RECENT)
  const earlier = calls.slice(0, -RECENT)
  const failures = recent.filter((one) => one.failed).length
  const before = earlier.length === 0 ? 0 : earlier.filter((one) => one.failed).length / earlier.length
  if (failures < RECENT * FAILED_SHARE || failures / RECENT < before * FAILED_TIMES) return undefined
  const reason = call.error?.message.split('\n')[0]?.slice(0, 200) ?? ''
  return { kind: 'failures', tool: call.tool, recent: RECENT, failures, before, reason }
}

function slow(call: CallReport, calls: readonly Seen[]): CallAlert | undefined {
  if (calls.length < RECENT + EARLIER_NEEDED) return undefined
  const nowMs = median(calls.slice(-RECENT))
  const beforeMs = median(calls.slice(0, -RECENT))
  if (nowMs < SLOW_MS || nowMs < beforeMs * SLOW_TIMES) return undefined
  return { kind: 'slow', tool: call.tool, recent: RECENT, nowMs, beforeMs }
}

function median(calls: readonly Seen[]): number {
  const sorted = calls.map((one) => one.ms).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
