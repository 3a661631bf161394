/** Durable acknowledgement against the reference: CPU per event and events per second, in-round ratios. */
import { setTimeout as pause } from 'node:timers/promises'
import { makeRequests } from './events.ts'
import { sendAll } from './load-client.ts'
import { cpuMicros } from './process-stats.ts'
import { median, quantile, type Row, ratioRow } from './row.ts'
import { type Measured, openTenant, startOurs, startReference } from './servers.ts'

const CONNECTIONS = 32
const CHATS = 500

interface Round {
  readonly perSecond: number
  readonly cpu: number
  readonly p99: number
}

export async function measureAcknowledge(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 7 : 15
  const batch = quick ? 800 : 1_500
  const tenant = await openTenant()
  const ours = await startOurs(tenant, { role: 'gateway' })
  const reference = await startReference(tenant.keys)
  const run = async (server: Measured, path: string, count: number): Promise<Round> => {
    const requests = makeRequests(tenant.keys, path, server.port, count, { chats: CHATS })
    const before = cpuMicros(server.pid)
    const result = await sendAll(server.port, requests, CONNECTIONS)
    await pause(10)
    if (result.refused > 0) throw new Error(`${result.refused} events were refused`)
    return {
      perSecond: result.perSecond,
      cpu: (cpuMicros(server.pid) - before) / count,
      p99: quantile([...result.latencies], 0.99),
    }
  }
  try {
    await run(ours, '/webhooks/bench', 3_000)
    await run(reference, '/', 3_000)
    const pairs: [Round, Round][] = []
    for (let round = 0; round < rounds; round++) {
      const first = round % 2 === 0
      const a = first ? await run(ours, '/webhooks/bench', batch) : await run(reference, '/', batch)
      const b = first ? await run(reference, '/', batch) : await run(ours, '/webhooks/bench', batch)
      pairs.push(first ? [a, b] : [b, a])
    }
    const figure = (pick: (round: Round) => number): { value: number; baseline: number; ratio: number } => ({
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
