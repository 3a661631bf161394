/**
 * Whether a row of looks is flat once it is warm. The line is the median of all slopes, so that single peaks do
 * not tilt it; the floors of both its halves are compared as well. What rises in either way is not flat.
 */
import type { Health } from './health.ts'

export type Measure = Exclude<keyof Health, 'at'>

export interface Trend {
  readonly measure: Measure
  readonly first: number
  readonly last: number
  /** Rise over the time looked at, of the line or of the floor, whichever is more. */
  readonly rise: number
  readonly allowed: number
  readonly isFlat: boolean
}

/** Rise over the second half that is still flat: memory as a share of what is held, the others by number. */
const ALLOWED: Readonly<Record<Measure, (held: number) => number>> = {
  memoryMb: (held) => Math.max(6, 0.05 * held),
  handles: () => 3,
  processes: () => 2,
  temporaryFiles: () => 2,
}
/** The first half of a run warms up: code is compiled, caches fill, the collector finds its pace. */
const WARM_UP = 0.5
/** Fewer would make the verdict a matter of luck. */
const FEWEST = 8

export function trendsOf(looks: readonly Health[]): Trend[] {
  const warm = looks.slice(Math.floor(looks.length * WARM_UP))
  if (warm.length < FEWEST) throw new Error(`${looks.length} looks are too few to see a trend`)
  return (Object.keys(ALLOWED) as Measure[]).map((measure) => {
    const points = warm.map((look) => ({ x: look.at, y: look[measure] }))
    const line = lineOf(points)
    // A step at the very end hardly turns the line, but lifts what the saw teeth come down to.
    const rise = Math.max(line.rise, floorRise(points.map(({ y }) => y)))
    const allowed = ALLOWED[measure](line.first)
    return { measure, first: line.first, last: line.first + rise, rise, allowed, isFlat: rise <= allowed }
  })
}

/** By how much the least of the second half lies above the least of the first. */
function floorRise(values: readonly number[]): number {
  const half = Math.ceil(values.length / 2)
  return Math.min(...values.slice(half)) - Math.min(...values.slice(0, half))
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
