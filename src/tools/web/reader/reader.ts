/**
 * Turns documents into text in a thread that is started at the first one, bounded in memory and time,
 * and let go of when it is idle.
 */
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../protocol/errors.ts'
import type { Clock } from '../../../protocol/ports.ts'
import type { DocumentKind } from './document-kind.ts'

export interface ReadJob {
  readonly id: number
  readonly kind: DocumentKind
  readonly body: Uint8Array
  readonly contentType: string
  readonly url: string
}

export type ReadReply =
  | {
      readonly id: number
      readonly ok: true
      readonly title: string
      readonly text: string
      readonly leftOut: number
    }
  | { readonly id: number; readonly ok: false; readonly reason: string }

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
  read(document: Omit<ReadJob, 'id'>, signal: AbortSignal): Promise<ReadDocument>
}

const TIMEOUT_MS = 20_000
const IDLE_MS = 120_000
const MEMORY_MB = 320
const WAITING = 32

interface Waiting {
  readonly resolve: (document: ReadDocument) => void
  readonly reject: (error: unknown) => void
}

export function createReader(clock: Clock): Reader {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let nextId = 1
  let cancelIdle = (): void => undefined
  const failAll = (error: AppError): void => {
    for (const [id, { reject }] of [...waiting]) {
      waiting.delete(id)
      reject(error)
    }
  }
  const stop = (error: AppError | undefined): void => {
    const ended = worker
    worker = undefined
    if (error) failAll(error)
    // Nothing is left to hear from it; its end needs no waiting.
    ended?.removeAllListeners()
    ended?.on('error', () => undefined)
    ended?.terminate().catch(() => undefined)
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./reader-main.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      // Documents are other people's: the thread gets nothing of the service's environment.
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    started.unref()
    started.on('message', (reply: ReadReply) => settle(waiting, reply))
    started.on('error', (error) => {
      if (worker === started) stop(tooMuch(error.message))
    })
    started.on('exit', () => {
      if (worker === started) stop(tooMuch('the reader ended'))
    })
    return started
  }
  return {
    warm: () => {
      worker ??= start()
    },
    read: (document, signal) => {
      signal.throwIfAborted()
      if (waiting.size >= WAITING) return Promise.reject(busy())
      cancelIdle()
      worker ??= start()
      const id = nextId++
      const done = new Promise<ReadDocument>((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.postMessage({ id, ...document } satisfies ReadJob)
      const cancel = clock.after(TIMEOUT_MS, () => stop(tooMuch(`more than ${TIMEOUT_MS / 1_000} s`)))
      const onAbort = (): void => {
        waiting.get(id)?.reject(signal.reason)
        waiting.delete(id)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      return done.finally(() => {
        cancel()
        signal.removeEventListener('abort', onAbort)
        if (waiting.size === 0) cancelIdle = clock.after(IDLE_MS, () => stop(undefined))
      })
    },
  }
}

function settle(waiting: Map<number, Waiting>, reply: ReadReply): void {
  const job = waiting.get(reply.id)
  waiting.delete(reply.id)
  if (reply.ok) job?.resolve({ title: reply.title, text: reply.text, leftOut: reply.leftOut })
  else
    job?.reject(
      new AppError('tool.failed', `The document could not be read: ${reply.reason}.`, {
        hint: 'It may be damaged or protected. Try another address or format.',
      }),
    )
}

function tooMuch(reason: string): AppError {
  return new AppError('tool.limit', `The document is too large or too complex to be read (${reason}).`, {
    hint: 'Try a smaller page, or download it and look at it with commands.',
  })
}

function busy(): AppError {
  return new AppError('tool.limit', 'Too many documents are being read at the moment.', {
    hint: 'Try again in a few seconds.',
    retryable: true,
  })
}
