/**
 * The statistics of tool calls as Prometheus reads them: by tool under its name, by chat and person under
 * a code. /stats shows an administrator which code is whose.
 */
import { Gauge, type Registry } from 'prom-client'
import type { CallFigures, CallStatistics } from '../protocol/tool-calls.ts'

/** Chats and people shown of each; a label for everybody would grow without an end. */
const MOST_CALLERS = 50

/** Registers the gauges; `read` is called at every scrape. */
export function exposeToolFigures(registry: Registry, read: () => CallStatistics): void {
  const registers = [registry]
  const quantiles: Gauge = new Gauge({
    name: 'yizhan_tool_quantile_seconds',
    help: 'Duration of the newest calls of each tool',
    labelNames: ['tool', 'quantile'],
    registers,
    collect: () => {
      for (const one of read().tools) setQuantiles(quantiles, { tool: one.name }, one)
    },
  })
  const callers: Gauge = new Gauge({
    name: 'yizhan_tool_callers',
    help: 'Chats and people whose runs have called tools since the start',
    labelNames: ['kind'],
    registers,
    collect: () => {
      const { chats, people } = read()
      callers.set({ kind: 'chat' }, chats.length)
      callers.set({ kind: 'person' }, people.length)
    },
  })
  const calls: Gauge = new Gauge({
    name: 'yizhan_tool_caller_calls',
    help: 'Tool calls of the chats and people that call most since the start',
    labelNames: ['kind', 'code', 'outcome'],
    registers,
    collect: () => {
      calls.reset()
      for (const [labels, { count, failures, denied }] of mostOf(read())) {
        calls.set({ ...labels, outcome: 'all' }, count)
        calls.set({ ...labels, outcome: 'failed' }, failures)
        calls.set({ ...labels, outcome: 'denied' }, denied)
      }
    },
  })
  const waits: Gauge = new Gauge({
    name: 'yizhan_tool_caller_quantile_seconds',
    help: 'Duration of their newest tool calls',
    labelNames: ['kind', 'code', 'quantile'],
    registers,
    collect: () => {
      waits.reset()
      for (const [labels, one] of mostOf(read())) setQuantiles(waits, labels, one)
    },
  })
}

type CallerLabels = { readonly kind: 'chat' | 'person'; readonly code: string }

function mostOf({ chats, people }: CallStatistics): [CallerLabels, CallFigures][] {
  const labelled = (kind: CallerLabels['kind'], all: readonly CallFigures[]): [CallerLabels, CallFigures][] =>
    all.slice(0, MOST_CALLERS).map((one) => [{ kind, code: one.code ?? '' }, one])
  return [...labelled('chat', chats), ...labelled('person', people)]
}

function setQuantiles(gauge: Gauge, labels: Record<string, string>, { p50Ms, p95Ms }: CallFigures): void {
  gauge.set({ ...labels, quantile: '0.5' }, p50Ms / 1_000)
  gauge.set({ ...labels, quantile: '0.95' }, p95Ms / 1_000)
}
