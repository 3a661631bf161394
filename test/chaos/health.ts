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

/**
 * Looks every `everyMs`. A look takes the least of several moments: garbage is no leak, and neither is a file or
 * a process of a command that just runs.
 */
export function watchHealth(pid: number, temporary: string, everyMs: number): Watch {
  const looks: Health[] = []
  const began = performance.now()
  let moments: Health[] = []
  const timer = setInterval(() => {
    moments.push(momentOf(pid, temporary, performance.now() - began))
    if (moments.length < MOMENTS) return
    looks.push(moments.reduce(leastOf))
    moments = []
  }, everyMs / MOMENTS)
  return { looks, stop: () => clearInterval(timer) }
}

const MOMENTS = 10

function momentOf(pid: number, temporary: string, at: number): Health {
  return {
    at,
    memoryMb: residentMb(pid),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    processes: descendants(pid).length,
    temporaryFiles: readdirSync(temporary).length,
  }
}

function leastOf(a: Health, b: Health): Health {
  return {
    at: b.at,
    memoryMb: Math.min(a.memoryMb, b.memoryMb),
    handles: Math.min(a.handles, b.handles),
    processes: Math.min(a.processes, b.processes),
    temporaryFiles: Math.min(a.temporaryFiles, b.temporaryFiles),
  }
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
