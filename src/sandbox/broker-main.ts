/**
 * The broker: a small process that starts commands for the service. Starting a process costs more the
 * larger the starter is, so the starter is kept small. When the service goes away, by whatever death,
 * the channel closes, and every command ends with it.
 */
import { createSystemClock } from '../system/clock.ts'
import { sweepControlGroups } from './cgroup.ts'
import { type BrokerReply, type BrokerRequest, requestSchema } from './job.ts'
import { createClaimer } from './ownership.ts'
import { createPipePool } from './pipes.ts'
import { closeInherited, isAlive } from './process-tree.ts'
import { runJob } from './runner.ts'
import { runTrusted } from './trusted.ts'
import { createWarmShells } from './warm-shells.ts'

closeInherited()

const clock = createSystemClock()
const pipes = createPipePool()
const warmShells = createWarmShells({ clock, pipes })
const deps = { clock, pipes, warmShells, claimer: createClaimer(clock) }
const jobs = new Map<number, AbortController>()
const sweep = (): void =>
  sweepControlGroups((pid, id) => (pid === process.pid ? warmShells.owns(id) : isAlive(pid)))

sweep()

process.on('message', (message) => {
  const request = requestSchema.parse(message)
  if (request.type === 'abort') jobs.get(request.id)?.abort()
  else void run(request)
})

process.on('disconnect', () => {
  for (const job of jobs.values()) job.abort()
  leaveWhenIdle()
})

// Ctrl-C in a terminal reaches the whole process group; the service alone decides when its commands end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

type Work = Exclude<BrokerRequest, { type: 'abort' }>

async function run(work: Work): Promise<void> {
  const { id } = work.job
  const controller = new AbortController()
  jobs.set(id, controller)
  const reply = await outcome(work, controller.signal)
  jobs.delete(id)
  if (work.type === 'run') sweep()
  if (process.connected) process.send?.(reply)
  else leaveWhenIdle()
}

async function outcome(work: Work, signal: AbortSignal): Promise<BrokerReply> {
  const { id } = work.job
  try {
    if (work.type === 'trusted')
      return { type: 'trusted', id, result: await runTrusted(work.job, clock, signal) }
    const end = await runJob(work.job, deps, signal)
    if ('refused' in end) return { type: 'refused', id, reason: end.refused }
    return { type: 'result', id, result: end.result }
  } catch (error) {
    return { type: 'refused', id, reason: error instanceof Error ? error.message : String(error) }
  }
}

function leaveWhenIdle(): void {
  if (!process.connected && jobs.size === 0) void warmShells.close().finally(() => process.exit(0))
}
