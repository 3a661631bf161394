/** What a process holds, as the kernel counts it: memory, handles, processes below it, temporary files. */
import { readdirSync, readFileSync } from 'node:fs'
import { descendants } from '../../src/sandbox/process-tree.ts'

export interface Health {
  /** Milliseconds since the first look. */
  readonly at: number
  readonly memoryMb: number
  readonly handles: number
  readonly processes: number
  readonly temporaryFiles: number
}

export interface Watch {
  readonly looks: readonly Health[]
  stop(): void
}

/** Looks every `everyMs`. A look takes the least memory of several moments, so that garbage is not taken for a leak. */
export function watchHealth(pid: number, temporary: string, everyMs: number): Watch {
  const looks: Health[] = []
  const began = performance.now()
  let least = Number.POSITIVE_INFINITY
  let moments = 0
  const timer = setInterval(() => {
    least = Math.min(least, residentMb(pid))
    if (++moments < MOMENTS) return
    looks.push({
      at: performance.now() - began,
      memoryMb: least,
      handles: readdirSync(`/proc/${pid}/fd`).length,
      processes: descendants(pid).length,
      temporaryFiles: readdirSync(temporary).length,
    })
    least = Number.POSITIVE_INFINITY
    moments = 0
  }, everyMs / MOMENTS)
  return { looks, stop: () => clearInterval(timer) }
}

const MOMENTS = 10

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
