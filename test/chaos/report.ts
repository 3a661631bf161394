/** Verdicts in words, for the commands. */
import type { Measure, Trend } from './trend.ts'
import type { Verdict } from './verdict.ts'

type Say = (line: string) => void

/** Prints counts and faults; true when there is no fault. */
export function printVerdict({ counts, faults }: Verdict, say: Say): boolean {
  for (const [name, value] of Object.entries(counts)) say(`${String(value).padStart(6)}  ${name}`)
  for (const fault of faults) say(`  ✗ ${fault}`)
  const isGood = faults.length === 0
  say(isGood ? '✓ nothing lost, nothing doubled, nothing without leave' : `✗ ${faults.length} faults`)
  return isGood
}

const NAMES: Readonly<Record<Measure, string>> = {
  memoryMb: 'resident memory, MB',
  handles: 'handles',
  processes: 'processes below it',
  temporaryFiles: 'temporary files',
}

/** Prints each line after the warm-up; true when all are flat. */
export function printTrends(trends: readonly Trend[], say: Say): boolean {
  for (const { measure, first, last, allowed, isFlat } of trends)
    say(
      `${isFlat ? '✓' : '✗'} ${NAMES[measure]}: ${first.toFixed(1)} → ${last.toFixed(1)} (flat: at most +${allowed.toFixed(1)})`,
    )
  return trends.every(({ isFlat }) => isFlat)
}
