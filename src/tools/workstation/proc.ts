/**
 * What Linux tells about processes and the machine, read from `/proc` as it is now. Knows the files'
 * shapes (proc(5)); refuses to read arguments and environments, which hold other people's secrets.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Clock ticks per second: 100 on every Linux that Node runs on. */
const TICKS = 100
const READ_AT_ONCE = 64
/** More processes than this are not looked at. */
const MOST = 20_000

export interface Process {
  readonly pid: number
  readonly parent: number
  /** As the kernel keeps it, at most 15 bytes; no arguments. */
  readonly name: string
  readonly state: string
  readonly threads: number
  /** Processor time used so far, seconds. */
  readonly cpuSeconds: number
  readonly residentBytes: number
  /** Start, seconds after boot. */
  readonly startedAfterBoot: number
}

const STATES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'waiting for a device',
  T: 'stopped',
  t: 'traced',
  Z: 'zombie',
  I: 'idle',
}

/** Reads one `/proc` tree; tests hand in a folder of their own. */
export function createProc(root = '/proc', pageBytes = 4_096) {
  const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8')

  const processOf = async (pid: number): Promise<Process | undefined> => {
    const line = await read(`${pid}/stat`).catch(() => undefined)
    return line === undefined ? undefined : parseStat(line, pageBytes)
  }

  return {
    processOf,

    async processes(): Promise<Process[]> {
      const pids = (await readdir(root)).filter((name) => /^\d+$/.test(name)).slice(0, MOST)
      const found: Process[] = []
      for (let at = 0; at < pids.length; at += READ_AT_ONCE) {
        const batch = pids.slice(at, at + READ_AT_ONCE).map((pid) => processOf(Number(pid)))
        // A process that ended between two reads is simply not there.
        for (const one of await Promise.all(batch)) if (one) found.push(one)
      }
      return found
    },

    /** Numeric id of the account that a process runs as; undefined when it is gone. */
    async userOf(pid: number): Promise<number | undefined> {
      const text = await read(`${pid}/status`).catch(() => '')
      const uid = /^Uid:\s+(\d+)/m.exec(text)?.[1]
      return uid === undefined ? undefined : Number(uid)
    },

    /** Memory, bytes; `available` is what new work could use. */
    async memory(): Promise<{
      total: number
      available: number
      swapTotal: number
      swapFree: number
    }> {
      const text = await read('meminfo')
      const value = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1_024
      return {
        total: value('MemTotal'),
        available: value('MemAvailable'),
        swapTotal: value('SwapTotal'),
        swapFree: value('SwapFree'),
      }
    },

    /** Processor time of all cores together since boot, seconds. */
    async cpuTimes(): Promise<{ busy: number; total: number }> {
      const fields = (await read('stat')).split('\n')[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? []
      const total = fields.reduce((sum, ticks) => sum + ticks, 0)
      const idle = (fields[3] ?? 0) + (fields[4] ?? 0)
      return { busy: (total - idle) / TICKS, total: total / TICKS }
    },

    async uptimeSeconds(): Promise<number> {
      return Number((await read('uptime')).split(' ')[0])
    },

    /** Runnable processes on average over 1, 5 and 15 minutes. */
    async load(): Promise<readonly number[]> {
      return (await read('loadavg')).split(' ').slice(0, 3).map(Number)
    },
  }
}

export type Proc = ReturnType<typeof createProc>

/** `pid (name) state ppid …`; the name may hold anything, also parentheses and spaces. */
function parseStat(line: string, pageBytes: number): Process | undefined {
  const match = /^(\d+) \((.*)\) (\S) (.*)$/s.exec(line)
  if (!match) return undefined
  const [, pid, name = '', state = '', rest = ''] = match
  // Field n of proc(5) is at n - 4: the first three are taken off above.
  const fields = rest.trim().split(' ').map(Number)
  const field = (number: number): number => fields[number - 4] ?? 0
  return {
    pid: Number(pid),
    parent: field(4),
    name,
    state: STATES[state] ?? state,
    threads: field(20),
    cpuSeconds: (field(14) + field(15)) / TICKS,
    residentBytes: field(24) * pageBytes,
    startedAfterBoot: field(22) / TICKS,
  }
}
