/**
 * `npm run bench [-- --quick] [-- --only tools,start] [-- --json FILE]`: every figure with its gate, both
 * sides in one run. `--only` takes parts by the names that the run prints.
 */
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
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

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'string' },
  },
})
const all: readonly ((quick: boolean) => Promise<Row[]>)[] = [
  measureAcknowledge,
  measureModelRequest,
  measureQueue,
  measureCards,
  measureIdle,
  measureTurns,
  measureStart,
  measureTools,
  measureMcp,
]

const nameOf = (measure: { readonly name: string }): string => measure.name.replace('measure', '')
const wanted = values.only?.toLowerCase().split(',')
const measures = all.filter((measure) => wanted?.includes(nameOf(measure).toLowerCase()) ?? true)
if (measures.length === 0) {
  process.stderr.write(`--only knows: ${all.map((measure) => nameOf(measure).toLowerCase()).join(', ')}\n`)
  process.exit(2)
}

const rows: Row[] = []
for (const [index, measure] of measures.entries()) {
  const name = nameOf(measure)
  process.stderr.write(`${index + 1}/${measures.length} ${name} …\n`)
  rows.push(...(await measure(values.quick)))
}
print(rows)
process.stdout.write(`\nNode ${process.version}, load average ${loadavg()[0]?.toFixed(1)}\n`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
process.exit(rows.every((row) => row.ok) ? 0 : 1)
