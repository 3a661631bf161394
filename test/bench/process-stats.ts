/** What the kernel says about a process and everything below it. */
import { readdirSync, readFileSync } from 'node:fs'

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function threads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function tree(pid: number): number[] {
  const children = threads(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).trim().split(/\s+/),
  )
  return [pid, ...children.filter(Boolean).flatMap((child) => tree(Number(child)))]
}

/** Processor time of the process tree so far, microseconds. */
export function cpuMicros(pid: number): number {
  return (
    tree(pid).reduce(
      (sum, one) =>
        sum +
        threads(one).reduce(
          (part, thread) => part + Number(read(`/proc/${one}/task/${thread}/schedstat`).split(' ')[0] ?? 0),
          0,
        ),
      0,
    ) / 1_000
  )
}

/** Resident memory of the process itself, MB. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024
}
