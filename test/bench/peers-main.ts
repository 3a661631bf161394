/** `npm run bench:peers [-- --rounds 15] [--json FILE]`: the same acknowledgements by others, side by side. */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Batch, runBatch } from './batch.ts'
import { median, print, ratioRow } from './row.ts'
import { type Measured, openTenant, startOurs, startProgram, startReference } from './servers.ts'

interface Side {
  readonly name: string
  readonly path: string
  readonly server: Measured
  readonly batches: Batch[]
}

const FOLDER = new URL('peers', import.meta.url).pathname
const BATCH = 1_000
/**
 * Events to every side before the first round. Compilers work beside the first nine thousand or so, on a core of
 * their own that counts as well; what is compared is what an event costs, not what a start does.
 */
const WARM_UP = 10_000

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, json: { type: 'string' } },
})

if (!existsSync(`${FOLDER}/node_modules`)) {
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
const tenant = await openTenant()
const { keys } = tenant
const peer = (file: string): Promise<Measured> =>
  startProgram([
    ...[`${FOLDER}/${file}`, keys.encryptKey, keys.verificationToken],
    ...[keys.appId, tenant.appSecret, tenant.simulator.url],
  ])
const side = async (name: string, path: string, server: Promise<Measured>): Promise<Side> => ({
  ...{ name, path, server: await server, batches: [] },
})
const ours = await side('Yizhan, durable', '/webhooks/bench', startOurs(tenant, { role: 'gateway' }))
const nodeSdk = await side('node-sdk, adaptExpress', '/webhook', peer('node-sdk.mjs'))
const chatSdk = await side('chat SDK, Lark adapter', '/webhook', peer('chat-sdk.mjs'))
const reference = await side('bare node:http', '/', startReference(keys))
const sides = [ours, nodeSdk, chatSdk, reference]

for (const { server, path } of sides) await runBatch(keys, server, path, WARM_UP)
for (let round = 0; round < Number(values.rounds); round++) {
  // Every side comes first, in the middle and last equally often.
  const order = sides.map((_, index) => sides[(index + round) % sides.length] ?? ours)
  for (const { server, path, batches } of order) batches.push(await runBatch(keys, server, path, BATCH))
}
const sent = WARM_UP + BATCH * Number(values.rounds)
for (const { name, server } of [nodeSdk, chatSdk]) {
  const response = await fetch(`http://127.0.0.1:${server.port}/handled`)
  const { handled } = (await response.json()) as { handled: number }
  if (handled !== sent)
    throw new Error(`${name} handled ${handled} of ${sent} events: nothing can be compared`)
}
for (const { server } of sides) await server.stop()
await tenant.simulator.stop()

const value = ({ batches }: Side, pick: (batch: Batch) => number): number => median(batches.map(pick))
process.stdout.write(
  '| server | events/s | CPU µs per event | × ref, CPU | p99 ms |\n|---|---|---|---|---|\n',
)
for (const one of sides) {
  const cpu = value(one, (batch) => batch.cpu)
  const share = cpu / value(reference, (batch) => batch.cpu)
  process.stdout.write(
    `| ${one.name} | ${value(one, ({ perSecond }) => perSecond).toFixed(0)} | ${cpu.toFixed(0)} | ${share.toFixed(2)} | ${value(one, ({ p99 }) => p99).toFixed(1)} |\n`,
  )
}
const against = (other: Side, bound: number) =>
  ratioRow(
    `acknowledge, CPU per event against ${other.name}`,
    {
      ...{ unit: 'µs', value: value(ours, ({ cpu }) => cpu), baseline: value(other, ({ cpu }) => cpu) },
      ratio: median(ours.batches.map(({ cpu }, round) => cpu / (other.batches[round]?.cpu ?? Number.NaN))),
    },
    { atMost: bound },
  )
const rows = [against(nodeSdk, 0.45), against(chatSdk, 0.2)]
process.stdout.write('\n')
print(rows)
process.stdout.write(`\nNode ${process.version}, load average ${loadavg()[0]?.toFixed(1)}\n`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
process.exit(rows.every((row) => row.ok) ? 0 : 1)
