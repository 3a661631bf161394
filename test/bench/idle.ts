/** Sessions that do nothing: what each holds, and that no timer and no worker belongs to it. */
import { execFile } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { promisify } from 'node:util'
import { z } from 'zod'
import { atMost, type Row } from './row.ts'

const answer = z.object({
  idleBytes: z.number(),
  waitingBytes: z.number(),
  timers: z.number(),
  others: z.number(),
})

export async function measureIdle(quick: boolean): Promise<Row[]> {
  const [idle, waiting] = quick ? [1_000, 200] : [10_000, 1_000]
  const program = ['--expose-gc', 'test/bench/idle-program.ts', String(idle), String(waiting)]
  const running = promisify(execFile)(process.execPath, program)
  // Nothing of it is timed, so it gives way to whatever is.
  setPriority(running.child.pid ?? 0, constants.priority.PRIORITY_LOW)
  const { stdout } = await running
  const { idleBytes, waitingBytes, timers, others } = answer.parse(JSON.parse(stdout))
  return [
    atMost(`${idle} idle sessions, each`, Math.max(0, idleBytes) / 1_024, 'KB', 4),
    atMost(`${waiting} sessions that wait for an approval, each`, Math.max(0, waitingBytes) / 1_024, 'KB', 4),
    atMost('timers of all these sessions together', Math.max(0, timers), '', 0),
    atMost('other handles of all these sessions together', Math.max(0, others), '', 0),
  ]
}
