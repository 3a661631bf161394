/** Reaches every process of a command. Knows `/proc`; a PID namespace's first process is the whole tree's handle. */
import { readdirSync, readFileSync } from 'node:fs'

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

/** Sends a signal; a process that is gone is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already: that is what was wanted.
  }
}
