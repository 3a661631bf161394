/**
 * One thread for what would hold up the service: drawing charts, reading and writing spreadsheets. It
 * starts at the first piece of work and ends after a quiet while, with all the memory it took.
 */
import { Worker } from 'node:worker_threads'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import type { Work, WorkResult } from './workshop-work.ts'

export interface Workshop {
  /** Does one piece of work; pieces wait for each other. Rejects with `report.*` errors. */
  do<W extends Work>(work: W, signal: AbortSignal): Promise<WorkResult<W>>
  close(): Promise<void>
}

/** What the thread answers. */
export type WorkAnswer =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | {
      readonly id: number
      readonly ok: false
      readonly code: string
      readonly message: string
      readonly hint: string
      readonly params: Record<string, string | number>
    }

const QUIET_MS = 60_000
const WORK_MS = 30_000
const THREAD_MEMORY_MB = 512

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

export function createWorkshop(clock: Clock): Workshop {
  let thread: Worker | undefined
  let next = 0
  let cancelQuiet = (): void => undefined
  let last: Promise<unknown> = Promise.resolve()
  const waiting = new Map<number, Waiting>()

  const end = async (reason: Error): Promise<void> => {
    cancelQuiet()
    const ending = thread
    thread = undefined
    for (const each of waiting.values()) each.reject(reason)
    waiting.clear()
    await ending?.terminate()
  }
  const start = (): Worker => {
    const fresh = new Worker(new URL('./workshop-thread.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
    })
    // The service may end while the thread is idle.
    fresh.unref()
    fresh.on('message', (answer: WorkAnswer) => settle(waiting, answer))
    fresh.on('error', (error) => void end(outOfOrder(error)))
    return fresh
  }
  const once = async (work: Work, signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted()
    cancelQuiet()
    thread ??= start()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = next++
    waiting.set(id, { resolve, reject })
    const cancelLimit = clock.after(WORK_MS, () => void end(tooLong()))
    const stop = (): void => void end(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    thread.postMessage({ id, work })
    try {
      return await promise
    } finally {
      cancelLimit()
      signal.removeEventListener('abort', stop)
      cancelQuiet = clock.after(QUIET_MS, () => void end(new Error('quiet')))
    }
  }
  return {
    do: (work, signal) => {
      const mine = last.then(() => once(work, signal))
      last = mine.catch(() => undefined)
      // The thread answers each kind of work with its own result.
      return mine as Promise<WorkResult<typeof work>>
    },
    close: () => end(new Error('the workshop is closed')),
  }
}

function settle(waiting: Map<number, Waiting>, answer: WorkAnswer): void {
  const mine = waiting.get(answer.id)
  waiting.delete(answer.id)
  if (answer.ok) mine?.resolve(answer.result)
  else mine?.reject(new AppError(answer.code, answer.message, { hint: answer.hint, params: answer.params }))
}

function outOfOrder(error: Error): AppError {
  return new AppError('report.workshop_failed', `drawing or spreadsheet work ended: ${error.message}`, {
    hint: 'The data may be too large for a picture or a spreadsheet; take fewer rows.',
    cause: error,
  })
}

function tooLong(): AppError {
  return new AppError('report.workshop_failed', `no result within ${WORK_MS} ms`, {
    hint: 'The data may be too large for a picture or a spreadsheet; take fewer rows.',
  })
}
