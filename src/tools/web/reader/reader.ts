/**
 * Turns documents into text in a thread that is started at the first one, bounded in memory and time,
 * and let go of when it is idle. One document at a time: a slow one delays the next, never spoils it.
 */
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../protocol/errors.ts'
import type { Clock } from '../../../protocol/ports.ts'
import type { DocumentKind } from './document-kind.ts'

export interface ReadJob {
  readonly kind: DocumentKind
  readonly body: Uint8Array
  readonly contentType: string
  readonly url: string
}

export type ReadReply =
  | { readonly ok: true; readonly title: string; readonly text: string; readonly leftOut: number }
  | { readonly ok: false; readonly reason: string }

export interface ReadDocument {
  readonly title: string
  readonly text: string
  /** Characters at the end that were dropped because the whole is too long to be kept. */
  readonly leftOut: number
}

export interface Reader {
  /** Starts the thread ahead, while the document is on its way. */
  warm(): void
  /** Rejects with `tool.failed` or `tool.limit` when the document cannot be read within bounds. */
  read(document: ReadJob, signal: AbortSignal): Promise<ReadDocument>
}

const TIMEOUT_MS = 10_000
const IDLE_MS = 120_000
const MEMORY_MB = 320
/** A page becomes very many small objects that die young; the service itself is kept tighter. */
const YOUNG_MB = 32
const MOST_WAITING = 32

interface Task {
  readonly job: ReadJob
  settle(reply: ReadReply | AppError): void
}

/** Refuses the 33rd document that waits with `tool.limit`; 10 s each, 320 MB. */
export function createReader(clock: Clock): Reader {
  const waiting: Task[] = []
  let current: Task | undefined
  let thread: Worker | undefined
  let cancelTimer = (): void => undefined

  const finish = (reply: ReadReply | AppError): void => {
    const done = current
    current = undefined
    cancelTimer()
    done?.settle(reply)
    next()
  }
  const give = (worker: Worker, error: AppError | undefined): void => {
    if (thread !== worker) return
    thread = undefined
    end(worker)
    if (error) finish(error)
  }
  const start = (): Worker => {
    const worker = startThread()
    worker.on('message', (reply: ReadReply) => {
      if (thread === worker) finish(reply)
    })
    worker.on('error', (error) => give(worker, tooMuch(error.message)))
    worker.on('exit', () => give(worker, tooMuch('the reader ended')))
    return worker
  }
  const next = (): void => {
    current = waiting.shift()
    const worker = thread
    if (current) {
      thread ??= start()
      const running = thread
      cancelTimer = clock.after(TIMEOUT_MS, () => give(running, tooMuch(`more than ${TIMEOUT_MS / 1_000} s`)))
      running.postMessage(current.job)
    } else if (worker) {
      cancelTimer = clock.after(IDLE_MS, () => give(worker, undefined))
    }
  }

  return {
    warm: () => {
      thread ??= start()
    },
    read: (job, signal) => {
      signal.throwIfAborted()
      if (waiting.length >= MOST_WAITING) return Promise.reject(busy())
      return new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        const settle = (reply: ReadReply | AppError): void => {
          signal.removeEventListener('abort', onAbort)
          if (reply instanceof AppError) reject(reply)
          else if (reply.ok) resolve({ title: reply.title, text: reply.text, leftOut: reply.leftOut })
          else reject(unreadable(reply.reason))
        }
        waiting.push({ job, settle })
        if (!current) {
          cancelTimer()
          next()
        }
      })
    },
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./reader-main.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    // Documents are other people's: the thread gets nothing of the service's environment.
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  worker.unref()
  return worker
}

/** Nothing more is heard from it; its end needs no waiting. */
function end(worker: Worker): void {
  worker.removeAllListeners()
  worker.on('error', () => undefined)
  worker.terminate().catch(() => undefined)
}

function unreadable(reason: string): AppError {
  return new AppError('tool.failed', `The document could not be read: ${reason}`, {
    hint: 'It may be damaged or protected. Try another address or format.',
  })
}

function tooMuch(reason: string): AppError {
  return new AppError('tool.limit', `The document is too large or too complex to be read (${reason})`, {
    hint: 'Try a smaller page, or download it and look at it with commands.',
  })
}

function busy(): AppError {
  return new AppError('tool.limit', 'Too many documents are being read at the moment', {
    hint: 'Try again in a few seconds.',
    retryable: true,
  })
}
