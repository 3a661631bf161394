/** One batch of events at one server: what it cost, and how fast it was acknowledged. */
import { setTimeout as pause } from 'node:timers/promises'
import { type EventKeys, makeRequests } from './events.ts'
import { sendAll } from './load-client.ts'
import { cpuMicros } from './process-stats.ts'
import { quantile } from './row.ts'

const CONNECTIONS = 32
const CHATS = 500

export interface Batch {
  readonly perSecond: number
  /** Processor time of the server's process tree for one event, microseconds. */
  readonly cpu: number
  readonly p99: number
}

export async function runBatch(
  keys: EventKeys,
  server: { readonly pid: number; readonly port: number },
  path: string,
  count: number,
): Promise<Batch> {
  const requests = makeRequests(keys, path, server.port, count, { chats: CHATS })
  const before = cpuMicros(server.pid)
  const result = await sendAll(server.port, requests, CONNECTIONS)
  await pause(10)
  if (result.refused > 0) throw new Error(`${path} refused ${result.refused} events`)
  return {
    perSecond: result.perSecond,
    cpu: (cpuMicros(server.pid) - before) / count,
    p99: quantile([...result.latencies], 0.99),
  }
}
