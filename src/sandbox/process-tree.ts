/** Reaches every process of a command. Knows `/proc`; a PID namespace's first process is the whole tree's handle. */
import { closeSync, existsSync, readdirSync, readFileSync } from 'node:fs'

const MOST = 10_000

/** Process ids below `root`, as this moment shows them, without `root`. */
export function descendants(root: number): number[] {
  const found: number[] = []
  const queue = [root]
  for (let pid = queue.pop(); pid !== undefined && found.length < MOST; pid = queue.pop()) {
    const children = childrenOf(pid)
    found.push(...children)
    queue.push(...children)
  }
  return found
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    // The process ended between two reads.
    return []
  }
}

/** True while a process of that id lives. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

/** Sends a signal; a process that is gone is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already: that is what was wanted.
  }
}

const CLOSE_ON_EXEC = 0o2000000

/**
 * Closes descriptors above 3 that whoever started the service left open and inheritable: a command must
 * not find them. Node marks its own descriptors close-on-exec, so they are not touched.
 */
export function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name)
    if (fd > 3 && isInherited(fd)) closeSync(fd)
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    // The descriptor of the listing itself, closed since.
    return false
  }
}
