/** Durable acknowledgement against the reference: CPU per event and events per second, in-round ratios. */
import { type Batch, runBatch } from './batch.ts'
import { median, type Row, ratioRow } from './row.ts'
import { type Measured, openTenant, startOurs, startReference } from './servers.ts'

/** Events before the first round: a compiler that still works would be counted as work on events. */
const WARM_UP = 4_000

export async function measureAcknowledge(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 5 : 15
  const batch = quick ? 600 : 1_500
  const tenant = await openTenant()
  const ours = await startOurs(tenant, { role: 'gateway' })
  const reference = await startReference(tenant.keys)
  const run = (server: Measured, path: string, count: number): Promise<Batch> =>
    runBatch(tenant.keys, server, path, count)
  try {
    await run(ours, '/webhooks/bench', WARM_UP)
    await run(reference, '/', WARM_UP)
    const pairs: [Batch, Batch][] = []
    for (let round = 0; round < rounds; round++) {
      const first = round % 2 === 0
      const a = first ? await run(ours, '/webhooks/bench', batch) : await run(reference, '/', batch)
      const b = first ? await run(reference, '/', batch) : await run(ours, '/webhooks/bench', batch)
      pairs.push(first ? [a, b] : [b, a])
    }
    const figure = (pick: (round: Batch) => number): { value: number; baseline: number; ratio: number } => ({
      value: median(pairs.map(([own]) => pick(own))),
      baseline: median(pairs.map(([, ref]) => pick(ref))),
      ratio: median(pairs.map(([own, ref]) => pick(own) / pick(ref))),
    })
    return [
      ratioRow(
        'acknowledge, durable: CPU per event',
        { ...figure((round) => round.cpu), unit: 'µs' },
        { atMost: 1.7 },
      ),
      ratioRow(
        'acknowledge, durable: events per second',
        { ...figure((round) => round.perSecond), unit: '/s' },
        { atLeast: 0.5 },
      ),
    ]
  } finally {
    await ours.stop()
    await reference.stop()
    await tenant.simulator.stop()
  }
}
