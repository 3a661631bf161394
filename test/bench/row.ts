/** One measured figure, its gate, and how it is printed. */

export interface Row {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The same measured on the reference in the same run. */
  readonly baseline: number | null
  readonly ratio: number | null
  /** The gate in words, e.g. "≤ 1.7 × ref". */
  readonly target: string
  readonly ok: boolean
}

/** A figure held against an absolute bound. */
export function atMost(name: string, value: number, unit: string, bound: number): Row {
  return { name, value, unit, baseline: null, ratio: null, target: `≤ ${bound} ${unit}`, ok: value <= bound }
}

/** A figure that must reach an absolute bound. */
export function atLeast(name: string, value: number, unit: string, bound: number): Row {
  return { name, value, unit, baseline: null, ratio: null, target: `≥ ${bound} ${unit}`, ok: value >= bound }
}

/** A figure held against a multiple of the reference; `ratio` is the median of in-round ratios. */
export function ratioRow(
  name: string,
  figures: { value: number; baseline: number; ratio: number; unit: string },
  gate: { atMost: number } | { atLeast: number },
): Row {
  const [target, ok] =
    'atMost' in gate
      ? [`≤ ${gate.atMost} × ref`, figures.ratio <= gate.atMost]
      : [`≥ ${gate.atLeast} × ref`, figures.ratio >= gate.atLeast]
  return { name, ...figures, target, ok }
}

export function print(rows: readonly Row[]): void {
  const cell = (value: number | null): string =>
    value === null ? '' : value >= 100 ? value.toFixed(0) : value.toFixed(2)
  process.stdout.write('| figure | value | reference | ratio | gate | |\n|---|---|---|---|---|---|\n')
  for (const row of rows) {
    process.stdout.write(
      `| ${row.name} | ${cell(row.value)} ${row.unit} | ${row.baseline === null ? '' : `${cell(row.baseline)} ${row.unit}`} | ${cell(row.ratio)} | ${row.target} | ${row.ok ? '✓' : '✗'} |\n`,
    )
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
