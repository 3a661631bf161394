/**
 * `npm run bench [-- --quick] [-- --only tools,start] [-- --json FILE]`: every figure with its gate, both
 * sides in one run. `--only` takes parts by the names that the run prints. `--quick` takes smaller sizes
 * and fewer rounds, and runs what mostly waits or has a process of its own beside the rest; figures to
 * quote come from a run without it.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureAcknowledge } from './acknowledge.ts'
import { measureCards } from './cards.ts'
import { measureIdle } from './idle.ts'
import { measureMcp } from './mcp.ts'
import { measureModelRequest } from './model-request.ts'
import { measureQueue } from './queue.ts'
import { print, type Row } from './row.ts'
import { measureStart } from './start.ts'
import { measureTools } from './tools.ts'
import { measureTurns } from './turns.ts'

type Measure = (quick: boolean) => Promise<Row[]>

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'string' },
  },
})
const IN_TURN: readonly Measure[] = [
  ...[measureAcknowledge, measureModelRequest, measureQueue, measureTurns, measureTools, measureMcp],
]
/**
 * Beside those with `--quick`: one stage after the other, the parts of a stage at once. So the first four have
 * only the waiting for cards beside them, and the clicks and MCP at the end have the machine nearly to themselves.
 */
const BESIDE: readonly (readonly Measure[])[] = [[measureCards], [measureStart, measureIdle]]

const nameOf = (measure: Measure): string => measure.name.replace('measure', '').toLowerCase()
const wanted = values.only?.toLowerCase().split(',')
const chosen = (measures: readonly Measure[]): Measure[] =>
  measures.filter((measure) => wanted?.includes(nameOf(measure)) ?? true)

async function inTurn(measures: readonly Measure[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const measure of measures) {
    const began = performance.now()
    // A part that breaks must not take the figures of the others along.
    const measured = await measure(values.quick).catch((error: unknown) => {
      process.stderr.write(`${nameOf(measure)}: ${String(error)}\n`)
      return [broken(nameOf(measure))]
    })
    rows.push(...measured)
    process.stderr.write(`${nameOf(measure)}: ${((performance.now() - began) / 1_000).toFixed(0)} s\n`)
  }
  return rows
}

function broken(part: string): Row {
  return { name: `${part} broke off`, value: 0, unit: '', baseline: null, ratio: null, target: '', ok: false }
}

/** In a process of its own: the load of one part shall not wait for the event loop of another. */
async function beside(measure: Measure): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-bench-'))
  const file = join(folder, 'rows.json')
  const args = [fileURLToPath(import.meta.url), '--quick', '--only', nameOf(measure), '--json', file]
  try {
    await new Promise<void>((resolve, reject) => {
      const child = execFile(process.execPath, args, (error) => {
        // A missed gate is a row, not a failure of the run.
        if (error && error.code !== 1) reject(error)
        else resolve()
      })
      child.stderr?.pipe(process.stderr)
    })
    return JSON.parse(readFileSync(file, 'utf8')) as Row[]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inStages(stages: readonly (readonly Measure[])[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const stage of stages) rows.push(...(await Promise.all(stage.map(beside))).flat())
  return rows
}

const [line, stages] = [chosen(IN_TURN), BESIDE.map(chosen)]
const others = stages.flat()
if (line.length + others.length === 0) {
  process.stderr.write(`--only knows: ${[...IN_TURN, ...BESIDE.flat()].map(nameOf).join(', ')}\n`)
  process.exit(2)
}
const together = values.quick && line.length > 0 && others.length > 0
const rows = together
  ? (await Promise.all([inTurn(line), inStages(stages)])).flat()
  : await inTurn([...line, ...others])
print(rows)
process.stdout.write(`\nNode ${process.version}, load average ${loadavg()[0]?.toFixed(1)}\n`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
process.exit(rows.every((row) => row.ok) ? 0 : 1)
