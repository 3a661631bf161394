/** Whether a row of looks is flat. The line is the median of all slopes, so that single peaks do not tilt it. */
import type { Health } from './health.ts'

export type Measure = Exclude<keyof Health, 'at'>

export interface Trend {
  readonly measure: Measure
  readonly first: number
  readonly last: number
  /** Rise of the line over the time looked at. */
  readonly rise: number
  readonly allowed: number
  readonly isFlat: boolean
}

/** Rise that is still flat: memory as a share of what is held, the others by number. */
const ALLOWED: Readonly<Record<Measure, (held: number) => number>> = {
  memoryMb: (held) => Math.max(8, 0.06 * held),
  handles: () => 3,
  processes: () => 2,
  temporaryFiles: () => 2,
}
/** The first part of a run warms up: code is compiled, caches fill. */
const WARM_UP = 0.3

export function trendsOf(looks: readonly Health[]): Trend[] {
  const warm = looks.slice(Math.floor(looks.length * WARM_UP))
  if (warm.length < 4) throw new Error(`${looks.length} looks are too few to see a trend`)
  return (Object.keys(ALLOWED) as Measure[]).map((measure) => {
    const values = warm.map((look) => look[measure])
    const { first, rise } = lineOf(warm.map(({ at }, index) => ({ x: at, y: values[index] ?? 0 })))
    const allowed = ALLOWED[measure](first)
    return { measure, first, last: first + rise, rise, allowed, isFlat: rise <= allowed }
  })
}

function lineOf(points: readonly { x: number; y: number }[]): { first: number; rise: number } {
  const slopes = points.flatMap((a, index) => points.slice(index + 1).map((b) => (b.y - a.y) / (b.x - a.x)))
  const slope = middle(slopes)
  const from = points[0]?.x ?? 0
  const span = (points.at(-1)?.x ?? from) - from
  return { first: middle(points.map(({ x, y }) => y - slope * (x - from))), rise: slope * span }
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
