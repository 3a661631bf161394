/** Numbers for Prometheus. Names are `yizhan_*`; labels never hold ids of people, chats or messages. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CallStatistics } from '../protocol/tool-calls.ts'
import type { StallMonitor } from './stall-monitor.ts'
import { exposeToolFigures } from './tool-figures.ts'

/** Durations are in seconds. Figures live as long as the process. */
export interface Metrics {
  event(labels: { type: string; verdict: string }): void
  run(labels: { platform: string; outcome: string }, seconds: number): void
  tool(labels: { tool: string; outcome: string }, seconds: number): void
  delivery(labels: { platform: string; state: string }): void
  tokens(labels: { model: string; kind: 'input' | 'output' | 'cached' }, count: number): void
  adapter(labels: { bot: string }, connected: boolean): void
  embeddings(available: boolean): void
  /** Registers the source of the tool call percentiles; it is read at each scrape. */
  toolFigures(read: () => CallStatistics): void
  /** Registers the source of the event loop and thread pool gauges; it is read at each scrape. */
  stalls(stalls: StallMonitor): void
  /** Prometheus text format. */
  text(): Promise<{ contentType: string; text: string }>
}

const SECONDS = [0.005, 0.02, 0.05, 0.2, 1, 3, 10, 30, 60, 180, 600]

/** A registry of its own: two houses in one process do not share numbers. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const runs = new Histogram({
    name: 'yizhan_run_seconds',
    help: 'Duration of runs by outcome',
    labelNames: ['platform', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const tools = new Histogram({
    name: 'yizhan_tool_seconds',
    help: 'Duration of tool calls by outcome',
    labelNames: ['tool', 'outcome'],
    buckets: SECONDS,
    registers,
  })
  const deliveries = new Counter({
    name: 'yizhan_deliveries_total',
    help: 'Messages handed to platforms',
    labelNames: ['platform', 'state'],
    registers,
  })
  const tokens = new Counter({
    name: 'yizhan_model_tokens_total',
    help: 'Tokens by model',
    labelNames: ['model', 'kind'],
    registers,
  })
  const adapters = new Gauge({
    name: 'yizhan_adapter_connected',
    help: '1 while a bot is connected',
    labelNames: ['bot'],
    registers,
  })
  const embeddings = new Gauge({
    name: 'yizhan_embeddings_available',
    help: '1 while the embeddings of the memory answer; absent without any',
    labelNames: [],
    registers,
  })
  // Absent until the first call has shown whether embeddings answer.
  embeddings.remove()
  const memory: Gauge = new Gauge({
    name: 'yizhan_resident_bytes',
    help: 'Resident memory of the process',
    registers,
    collect: () => memory.set(process.memoryUsage.rss()),
  })
  return {
    event: countEvents(registry),
    run: (labels, seconds) => runs.observe(labels, seconds),
    tool: (labels, seconds) => tools.observe(labels, seconds),
    delivery: (labels) => deliveries.inc(labels),
    tokens: (labels, count) => tokens.inc(labels, count),
    adapter: (labels, connected) => adapters.set(labels, connected ? 1 : 0),
    embeddings: (available) => embeddings.set(available ? 1 : 0),
    toolFigures: (read) => exposeToolFigures(registry, read),
    stalls: (stalls) => exposeStalls(registry, stalls),
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

/** Called for every event, so it only increments a plain number; the numbers go to the registry at each scrape. */
function countEvents(registry: Registry): Metrics['event'] {
  const counts = new Map<string, { readonly labels: Parameters<Metrics['event']>[0]; value: number }>()
  const events: Counter<'type' | 'verdict'> = new Counter({
    name: 'yizhan_events_total',
    help: 'Events from platforms',
    labelNames: ['type', 'verdict'],
    registers: [registry],
    collect: () => {
      events.reset()
      for (const { labels, value } of counts.values()) events.inc(labels, value)
    },
  })
  return (labels) => {
    const key = `${labels.type}\n${labels.verdict}`
    const known = counts.get(key)
    if (known) known.value++
    else counts.set(key, { labels, value: 1 })
  }
}

function exposeStalls(registry: Registry, stalls: StallMonitor): void {
  const registers = [registry]
  const loop: Gauge = new Gauge({
    name: 'yizhan_event_loop_hold_seconds',
    help: 'Longest time that one piece of work held the event loop within the last ten to twenty seconds',
    registers,
    collect: () => loop.set(stalls.loopMs() / 1_000),
  })
  const pool: Gauge = new Gauge({
    name: 'yizhan_thread_pool_wait_seconds',
    help: 'How long a job waits for a thread now; 2 stands for longer',
    registers,
    collect: async () => pool.set((await stalls.poolMs()) / 1_000),
  })
}
