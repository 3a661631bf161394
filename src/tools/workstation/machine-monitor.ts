/**
 * Processor usage needs two samples with some time between them. The monitor keeps the last sample, so that a second
 * question within seconds is answered at once, and concurrent questions share one sample.
 */
import type { Clock } from '../../protocol/ports.ts'
import type { Proc, Process } from './proc.ts'

/** Shortest time between two looks that still gives a meaningful percentage. */
const APART_MS = 250
/** An answer this young is given again. */
const FRESH_MS = 1_000
/** A look older than this is no longer compared with. */
const OLD_MS = 30_000

export interface Usage {
  readonly process: Process
  /** Percent of one core over the time between the two looks; may exceed 100 with several threads. */
  readonly cpuPercent: number
}

export interface Snapshot {
  readonly processes: readonly Usage[]
  /** Percent of all cores together. */
  readonly cpuPercent: number
}

export interface MachineMonitor {
  readonly proc: Proc
  snapshot(): Promise<Snapshot>
}

interface Look {
  readonly at: number
  readonly processes: ReadonlyMap<number, Process>
  readonly cpu: { readonly busy: number; readonly total: number }
}

export function createMachineMonitor(deps: { readonly clock: Clock; readonly proc: Proc }): MachineMonitor {
  const { clock, proc } = deps
  let last: Look | undefined
  let answer: { readonly at: number; readonly snapshot: Snapshot } | undefined
  let pending: Promise<Snapshot> | undefined

  const look = async (): Promise<Look> => {
    const [processes, cpu] = await Promise.all([proc.processes(), proc.cpuTimes()])
    return { at: clock.monotonic(), processes: new Map(processes.map((one) => [one.pid, one])), cpu }
  }
  const earlier = async (): Promise<Look> => {
    if (last && clock.monotonic() - last.at < OLD_MS) {
      const wait = APART_MS - (clock.monotonic() - last.at)
      if (wait > 0) await clock.sleep(wait)
      return last
    }
    const first = await look()
    await clock.sleep(APART_MS)
    return first
  }
  const measure = async (): Promise<Snapshot> => {
    const before = await earlier()
    const now = await look()
    last = now
    const snapshot = compare(before, now)
    answer = { at: now.at, snapshot }
    return snapshot
  }
  return {
    proc,
    snapshot: () => {
      if (answer && clock.monotonic() - answer.at < FRESH_MS) return Promise.resolve(answer.snapshot)
      pending ??= measure().finally(() => {
        pending = undefined
      })
      return pending
    },
  }
}

function compare(before: Look, now: Look): Snapshot {
  const seconds = (now.at - before.at) / 1_000
  const processes = [...now.processes.values()].map((process) => {
    const old = before.processes.get(process.pid)
    // A pid that was given to a new process has used less than the old one: it counts from its start.
    const used = process.cpuSeconds - (old && old.cpuSeconds <= process.cpuSeconds ? old.cpuSeconds : 0)
    return { process, cpuPercent: seconds > 0 ? percent(used / seconds) : 0 }
  })
  const total = now.cpu.total - before.cpu.total
  return { processes, cpuPercent: total > 0 ? percent((now.cpu.busy - before.cpu.busy) / total) : 0 }
}

/** A share as percent with one decimal. */
export const percent = (share: number): number => Math.round(share * 1_000) / 10
