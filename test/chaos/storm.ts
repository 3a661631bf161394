/** A storm of events at one process: so many a second, each a message of one of many groups (R26). */
import { setTimeout as pause } from 'node:timers/promises'
import { makeRequests } from '../bench/events.ts'
import { sendAll } from '../bench/load-client.ts'
import { residentMb } from '../bench/process-stats.ts'
import { quantile } from '../bench/row.ts'
import { openTenant, startOurs } from '../bench/servers.ts'

const CONNECTIONS = 32
const CHATS = 500

export interface Storm {
  readonly sent: number
  /** Events that were not acknowledged with 200. */
  readonly refused: number
  /** Milliseconds from the request to its acknowledgement, over the whole storm. */
  readonly p99: number
  /** Resident memory once warm, and at its highest after that; MB. */
  readonly warmMb: number
  readonly mostMb: number
}

export async function runStorm(options: {
  readonly seconds: number
  readonly perSecond: number
  readonly say: (line: string) => void
}): Promise<Storm> {
  const tenant = await openTenant()
  const service = await startOurs(tenant, { role: 'gateway' })
  const latencies: number[] = []
  let refused = 0
  let warmMb = 0
  let mostMb = 0
  try {
    const second = async (): Promise<void> => {
      const chats = { chats: CHATS }
      const requests = makeRequests(tenant.keys, '/webhooks/bench', service.port, options.perSecond, chats)
      const began = performance.now()
      const result = await sendAll(service.port, requests, CONNECTIONS)
      latencies.push(...result.latencies)
      refused += result.refused
      await pause(Math.max(0, 1_000 - (performance.now() - began)))
    }
    await second()
    warmMb = residentMb(service.pid)
    for (let at = 1; at < options.seconds; at++) {
      await second()
      mostMb = Math.max(mostMb, residentMb(service.pid))
      if (at % 10 === 0) options.say(`${at} s: ${latencies.length} events, ${mostMb.toFixed(0)} MB at most`)
    }
    return { sent: latencies.length, refused, p99: quantile(latencies, 0.99), warmMb, mostMb }
  } finally {
    await service.stop()
    await tenant.simulator.stop()
  }
}
