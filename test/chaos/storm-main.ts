/** `npm run storm -- [--seconds 60] [--per-second 1000]`: a storm of events, and whether it was weathered. */
import { parseArgs } from 'node:util'
import { runStorm } from './storm.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    'per-second': { type: 'string', default: '1000' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const storm = await runStorm({
  seconds: Number(values.seconds),
  perSecond: Number(values['per-second']),
  say,
})
say(
  `${storm.sent} events, ${storm.refused} refused, p99 ${storm.p99.toFixed(0)} ms, ` +
    `memory ${storm.warmMb.toFixed(0)} MB after the first second, ${storm.mostMb.toFixed(0)} MB at most`,
)
process.exit(storm.refused === 0 && storm.p99 < 1_000 ? 0 : 1)
