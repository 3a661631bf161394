/** The service's end of the broker: hands out jobs, starts the broker again when it dies. */
import { type ChildProcess, fork } from 'node:child_process'
import { AppError } from '../protocol/errors.ts'
import type { Logger } from '../protocol/ports.ts'
import {
  type BrokerReply,
  type BrokerRequest,
  type Job,
  type JobResult,
  replySchema,
  type TrustedJob,
  type TrustedResult,
} from './job.ts'

export interface Broker {
  /**
   * Runs a job to its end. Rejects with `sandbox.unavailable` when nothing was started, with
   * `sandbox.interrupted` when the broker died under a running command (which died with it).
   */
  run(job: Omit<Job, 'id'>, signal: AbortSignal): Promise<JobResult>
  /** Runs a program of the service's own. Rejects like {@link Broker.run}. */
  runTrusted(job: Omit<TrustedJob, 'id'>, signal: AbortSignal): Promise<TrustedResult>
  /** Process id of the living broker; undefined before the first job and after a death. */
  pid(): number | undefined
  close(): Promise<void>
}

type Answer = Exclude<BrokerReply, { type: 'refused' }>

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Starts nothing until the first job. */
export function createBroker(logger: Logger): Broker {
  const waiting = new Map<number, Waiting>()
  let child: ChildProcess | undefined
  let next = 1
  const lost = (): AppError =>
    new AppError('sandbox.interrupted', 'the process that runs commands ended', {
      hint: 'The command was killed with it. Look at what it changed before running it again.',
    })
  const start = (): ChildProcess => {
    const fresh = fork(new URL('./broker-main.ts', import.meta.url), {
      env: {},
      execArgv: ['--max-old-space-size=96', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'json',
    })
    fresh.on('message', (message) => settle(waiting, replySchema.parse(message)))
    fresh.once('exit', (code, signal) => {
      if (child === fresh) child = undefined
      if (waiting.size > 0)
        logger.error({ code, signal, jobs: waiting.size }, 'sandbox broker ended with work')
      for (const job of waiting.values()) job.reject(lost())
      waiting.clear()
    })
    // An idle broker must not keep the service from ending.
    fresh.unref()
    fresh.channel?.unref()
    return fresh
  }
  const ask = async (make: (id: number) => BrokerRequest, signal: AbortSignal): Promise<Answer> => {
    signal.throwIfAborted()
    child ??= start()
    const current = child
    const id = next++
    const send = (request: BrokerRequest): void => void current.send(request, () => {})
    const onAbort = (): void => send({ type: 'abort', id })
    signal.addEventListener('abort', onAbort, { once: true })
    current.channel?.ref()
    try {
      return await new Promise<Answer>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send(make(id))
      })
    } finally {
      signal.removeEventListener('abort', onAbort)
      if (waiting.size === 0) current.channel?.unref()
    }
  }
  return {
    pid: () => child?.pid,
    async run(job, signal) {
      const answer = await ask((id) => ({ type: 'run', job: { ...job, id } }), signal)
      if (answer.type !== 'result') throw new Error('the broker answered something else')
      return answer.result
    },
    async runTrusted(job, signal) {
      const answer = await ask((id) => ({ type: 'trusted', job: { ...job, id } }), signal)
      if (answer.type !== 'trusted') throw new Error('the broker answered something else')
      return answer.result
    },
    async close() {
      const current = child
      if (!current) return
      const gone = new Promise<void>((resolve) => current.once('exit', () => resolve()))
      if (current.connected) current.disconnect()
      current.ref()
      await gone
    },
  }
}

function settle(waiting: Map<number, Waiting>, reply: BrokerReply): void {
  const job = waiting.get(reply.id)
  waiting.delete(reply.id)
  if (!job) return
  if (reply.type !== 'refused') {
    job.resolve(reply)
    return
  }
  job.reject(
    new AppError('sandbox.unavailable', `the sandbox did not start: ${reply.reason}`, {
      hint: 'Run "npm run doctor": it names what the machine lacks.',
      params: { reason: reply.reason.slice(0, 300) },
    }),
  )
}
