/**
 * One process for what would hold up the service: drawing charts, reading and writing spreadsheets. It
 * starts at the first piece of work and ends after a quiet while, with all the memory it took. A thread
 * would not do: of what one took to draw, more than a hundred megabytes stayed with the service.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import type { Work, WorkResult } from './workshop-work.ts'

export interface Workshop {
  /** Does one piece of work; pieces wait for each other. Rejects with `report.*` errors. */
  do<W extends Work>(work: W, signal: AbortSignal): Promise<WorkResult<W>>
  close(): Promise<void>
}

/** What the process answers. */
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
/** What the first piece gets more: a busy machine takes long to load libraries, and an ended process loads them again. */
const START_MS = 30_000
const MEMORY_MB = 512

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Does one piece of work at a time, each within 30 s (60 s the first); the process is started at the first and ends after a minute
 * of rest.
 */
export function createWorkshop(clock: Clock): Workshop {
  let child: ChildProcess | undefined
  let next = 0
  let cancelQuiet = (): void => undefined
  let last: Promise<unknown> = Promise.resolve()
  const waiting = new Map<number, Waiting>()

  const end = async (reason: unknown): Promise<void> => {
    cancelQuiet()
    const ending = child
    child = undefined
    for (const each of waiting.values()) each.reject(reason)
    waiting.clear()
    if (ending) await kill(ending)
  }
  const start = (): ChildProcess => {
    const fresh = startChild()
    const fail = (how: string): void => {
      // One that was ended on purpose says nothing about the one after it.
      if (child === fresh) void end(outOfOrder(how))
    }
    fresh.on('message', (answer: WorkAnswer) => settle(waiting, answer))
    fresh.on('error', (error) => fail(error.message))
    fresh.on('exit', (code, by) => fail(String(code ?? by)))
    return fresh
  }
  const perform = async (work: Work, signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted()
    cancelQuiet()
    const limit = child ? WORK_MS : START_MS + WORK_MS
    child ??= start()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = next++
    waiting.set(id, { resolve, reject })
    const cancelLimit = clock.after(limit, () => void end(tooLong(limit)))
    const stop = (): void => void end(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    hold(child)
    child.send({ id, work })
    try {
      return await promise
    } finally {
      cancelLimit()
      signal.removeEventListener('abort', stop)
      if (child) letGo(child)
      cancelQuiet = clock.after(QUIET_MS, () => void end(new Error('quiet')))
    }
  }
  return {
    do: (work, signal) => {
      const mine = last.then(() => perform(work, signal))
      last = mine.catch(() => undefined)
      // The process answers each kind of work with its own result.
      return mine as Promise<WorkResult<typeof work>>
    },
    close: () => end(new Error('the workshop is closed')),
  }
}

function startChild(): ChildProcess {
  return fork(new URL('./workshop-child.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${MEMORY_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  })
}

/** The service lives as long as somebody waits for work, and may end while the process is idle. */
function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

function settle(waiting: Map<number, Waiting>, answer: WorkAnswer): void {
  const mine = waiting.get(answer.id)
  waiting.delete(answer.id)
  if (answer.ok) mine?.resolve(answer.result)
  else mine?.reject(new AppError(answer.code, answer.message, { hint: answer.hint, params: answer.params }))
}

const HINT = 'The data may be too large for a picture or a spreadsheet; take fewer rows.'

function outOfOrder(how: string): AppError {
  return new AppError('report.workshop_failed', `drawing or spreadsheet work ended early (${how})`, {
    hint: HINT,
  })
}

function tooLong(limit: number): AppError {
  return new AppError('report.workshop_failed', `no result within ${limit} ms`, { hint: HINT })
}
