/** `npm run soak -- --minutes 20 [--groups 4]`: a high rate for that long; what is held must stay flat. */
import { parseArgs } from 'node:util'
import { printTrends, printVerdict } from './report.ts'
import { runSoak } from './soak.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, groups: { type: 'string', default: '4' } },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const verdict = await runSoak({ minutes: Number(values.minutes), groups: Number(values.groups), say })
const isFlat = printTrends(verdict.trends, say)
process.exit(printVerdict(verdict, say) && isFlat ? 0 : 1)
