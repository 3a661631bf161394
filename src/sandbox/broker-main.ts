/**
 * The broker: a small process that starts commands for the service. Starting a process costs more the
 * larger the starter is, so the starter is kept small. When the service goes away, by whatever death,
 * the channel closes, and every command ends with it.
 */
import { createSystemClock } from '../system/clock.ts'
import { sweepControlGroups } from './cgroup.ts'
import { type BrokerReply, type Job, requestSchema } from './job.ts'
import { createClaimer } from './ownership.ts'
import { createPipePool } from './pipes.ts'
import { closeInherited, isAlive } from './process-tree.ts'
import { runJob } from './runner.ts'

closeInherited()

const clock = createSystemClock()
const deps = { clock, pipes: createPipePool(), claimer: createClaimer(clock) }
const jobs = new Map<number, AbortController>()
const sweep = (): void => sweepControlGroups((pid, id) => (pid === process.pid ? jobs.has(id) : isAlive(pid)))

sweep()

process.on('message', (message) => {
  const request = requestSchema.parse(message)
  if (request.type === 'abort') jobs.get(request.id)?.abort()
  else void run(request.job)
})

process.on('disconnect', () => {
  for (const job of jobs.values()) job.abort()
  leaveWhenIdle()
})

// The service decides when its commands end; a Ctrl-C for the terminal's group is the service's affair.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

async function run(job: Job): Promise<void> {
  const controller = new AbortController()
  jobs.set(job.id, controller)
  const reply = await outcome(job, controller.signal)
  jobs.delete(job.id)
  sweep()
  if (process.connected) process.send?.(reply)
  else leaveWhenIdle()
}

async function outcome(job: Job, signal: AbortSignal): Promise<BrokerReply> {
  try {
    const end = await runJob(job, deps, signal)
    if ('refused' in end) return { type: 'refused', id: job.id, reason: end.refused }
    return { type: 'result', id: job.id, result: end.result }
  } catch (error) {
    return { type: 'refused', id: job.id, reason: error instanceof Error ? error.message : String(error) }
  }
}

function leaveWhenIdle(): void {
  if (!process.connected && jobs.size === 0) process.exit(0)
}
