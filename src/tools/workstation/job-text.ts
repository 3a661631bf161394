/** A background command in words, for the model. */
import type { Clock } from '../../protocol/ports.ts'
import { oneLine } from '../one-line.ts'
import type { Job } from './jobs.ts'

/** One line: id, state, time, command. */
export function jobLine(job: Job, clock: Clock): string {
  return `${job.id}: ${jobState(job, clock)}: ${oneLine(job.command)}`
}

/** `running for 12 s`, `exit code 0 after 3.1 s`, `lost …`. */
export function jobState(job: Job, clock: Clock): string {
  if (job.state === 'running') return `running for ${seconds(clock.now() - job.startedAt)}`
  if (!job.end) return 'lost: the service stopped while it ran, so it was ended and its outcome is unknown'
  const after = `after ${seconds(job.end.at - job.startedAt)}`
  const detail = job.end.detail ?? 'unknown'
  switch (job.end.how) {
    case 'exit':
      return `exit code ${job.end.exitCode ?? '?'} ${after}`
    case 'signal':
      return `ended by ${detail} ${after}`
    case 'timeout':
      return `stopped at its time limit ${after}`
    case 'limit':
      return `stopped at the ${detail} limit ${after}`
    case 'aborted':
      return `stopped ${detail} ${after}`
    case 'refused':
      return `not run: ${detail}`
  }
}

const seconds = (ms: number): string => `${(Math.max(0, ms) / 1_000).toFixed(1)} s`
