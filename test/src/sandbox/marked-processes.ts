/** Processes of the machine that carry a word of a test in their command line. */
import { readdirSync, readFileSync } from 'node:fs'

/** True while some process has `marker` in its command line. */
export function living(marker: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker)
    } catch {
      // Ended between listing and reading.
      return false
    }
  })
}

/** Parent of the outermost process of the command that holds `marker`: the broker. */
export function brokerOf(marker: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
      if (line.includes(marker) && readFileSync(`/proc/${parent}/cmdline`, 'utf8').includes('broker-main'))
        return parent
    } catch {
      // Ended meanwhile.
    }
  }
  throw new Error('no broker found')
}
