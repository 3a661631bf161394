/** Counts and times of tool calls by tool, chat and person, since the process started, in bounded memory. */
import { createHash } from 'node:crypto'
import { chatKey } from '../protocol/address.ts'
import type { CallFigures, CallReport, CallStatistics } from '../protocol/tool-calls.ts'

/** Newest durations of each series from which the percentiles are taken. */
const WINDOW = 256
/** Series kept; the one that was not added to for the longest time goes first. */
const MOST_SERIES = 2_000

export interface CallStats {
  add(call: CallReport): void
  /** Of one chat, or of all. */
  read(chat?: string): CallStatistics
}

interface Series {
  count: number
  failures: number
  denied: number
  /** A ring of the newest durations, milliseconds. */
  readonly recent: number[]
}

/** `salt` keeps the codes of chats and people from being guessed. */
export function createCallStats(salt: string): CallStats {
  const all = new Map<string, Series>()
  const add = (key: string, call: CallReport): void => {
    const series = all.get(key) ?? { count: 0, failures: 0, denied: 0, recent: [] }
    all.delete(key)
    all.set(key, series)
    // A call that was refused took no time of the tool.
    if (call.status !== 'denied') series.recent[(series.count - series.denied) % WINDOW] = call.ms
    series.count++
    if (call.status === 'failed') series.failures++
    if (call.status === 'denied') series.denied++
    if (all.size > MOST_SERIES) all.delete(all.keys().next().value ?? '')
  }
  const list = (prefix: string): CallFigures[] =>
    [...all]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, series]) => figures(key.slice(prefix.length), series))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  const coded = (figures: CallFigures): CallFigures => ({ ...figures, code: codeOf(salt, figures.name) })
  return {
    add(call) {
      const chat = chatKey(call.address)
      for (const scope of ['', chat]) {
        add(`${scope}\n\n`, call)
        add(`${scope}\ntool\n${call.tool}`, call)
        add(`${scope}\nperson\n${call.requester}`, call)
      }
      add(`\nchat\n${chat}`, call)
    },
    read: (chat = '') => ({
      total: figures('', all.get(`${chat}\n\n`) ?? { count: 0, failures: 0, denied: 0, recent: [] }),
      tools: list(`${chat}\ntool\n`),
      chats: chat === '' ? list('\nchat\n').map(coded) : [],
      people: list(`${chat}\nperson\n`).map(coded),
    }),
  }
}

function figures(name: string, { count, failures, denied, recent }: Series): CallFigures {
  const sorted = recent.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0
  return { name, count, failures, denied, p50Ms: at(0.5), p95Ms: at(0.95) }
}

function codeOf(salt: string, key: string): string {
  return createHash('sha256').update(`${salt}\n${key}`).digest('hex').slice(0, 8)
}
