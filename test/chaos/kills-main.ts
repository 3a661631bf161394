/** `npm run kills -- --count 200 [--seed WORD] [--groups 3]`: random kills under load, and what they broke. */
import { parseArgs } from 'node:util'
import { runKills } from './kills.ts'
import { printVerdict } from './report.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now()) },
    groups: { type: 'string', default: '3' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)

say(`${values.count} kills, seed ${values.seed}`)
const verdict = await runKills({
  count: Number(values.count),
  seed: values.seed,
  groups: Number(values.groups),
  say,
})
process.exit(printVerdict(verdict, say) ? 0 : 1)
