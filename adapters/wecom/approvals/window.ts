/** Cuts a span of time into windows that getapprovalinfo accepts: at most 31 days each. */

export interface Window {
  /** Unix seconds. */
  readonly start: number
  readonly end: number
}

const MAX_SECONDS = 31 * 86_400

/**
 * Neighbouring windows share their border second, because the documents do not say whether an end is
 * included; whoever merges drops the doubles. A span of no length becomes one second.
 */
export function windowsOf(fromMs: number, toMs: number): Window[] {
  const from = Math.floor(fromMs / 1_000)
  const to = Math.max(Math.ceil(toMs / 1_000), from + 1)
  const windows: Window[] = []
  for (let start = from; start < to; start += MAX_SECONDS) {
    windows.push({ start, end: Math.min(start + MAX_SECONDS, to) })
  }
  return windows
}
