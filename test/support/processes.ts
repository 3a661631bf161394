/** Processes that this test process started, directly or not, as the kernel lists them. */
import { readFileSync } from 'node:fs'
import { descendants } from '../../src/sandbox/process-tree.ts'

export interface OwnProcess {
  readonly pid: number
  readonly uid: number
  readonly command: string
}

/** Those whose command line holds the words. */
export function ownProcesses(words: string): OwnProcess[] {
  return descendants(process.pid).flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
      return command.includes(words) ? [{ pid, uid, command }] : []
    } catch {
      // It ended while the list was read.
      return []
    }
  })
}

/** Kills what {@link ownProcesses} finds. Children that die with their parent meanwhile are as dead as wanted. */
export function killOwnProcesses(words: string): void {
  for (const { pid } of ownProcesses(words))
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
