/**
 * A SQLite file, read in a process of its own: a query cannot be interrupted from inside, and must
 * never hold up the service. The file is opened read-only and the engine's own parser is asked about
 * every step of the statement.
 */
import { fork } from 'node:child_process'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import type { Table } from '../table.ts'
import { sourceTimeout, sourceUnavailable, sqlFailed } from './failure.ts'
import type { SqlReader } from './source.ts'

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const answerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('table'),
    columns: z.array(z.string()),
    rows: z.array(z.array(cell)),
    cut: z.object({ by: z.enum(['rows', 'bytes']), limit: z.number() }).optional(),
  }),
  z.object({ type: z.literal('unavailable'), message: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])

/** What the child is asked, once. */
export interface SqliteTask {
  readonly path: string
  readonly query: string
  readonly values: readonly (string | number)[]
  readonly rows: number
  readonly bytes: number
}

export type SqliteAnswer = z.input<typeof answerSchema>

export function createSqliteReader(name: string, path: string): SqlReader {
  return {
    read: async ({ query, values, limits, signal }) => {
      const deadline = AbortSignal.timeout(limits.timeoutMs)
      const task: SqliteTask = { path, query, values, rows: limits.rows, bytes: limits.bytes }
      const answer = await ask(task, name, AbortSignal.any([signal, deadline])).catch((error: unknown) => {
        throw deadline.aborted && !signal.aborted ? sourceTimeout(name, limits.timeoutMs) : error
      })
      return tableOf(answerSchema.parse(answer), name)
    },
  }
}

function tableOf(answer: z.output<typeof answerSchema>, name: string): Table {
  if (answer.type === 'unavailable') throw sourceUnavailable(name, answer.message)
  if (answer.type === 'failed') throw sqlFailed(name, answer.message)
  const { columns, rows, cut } = answer
  return { columns, rows, ...(cut && { cut }) }
}

/** Starts the child, hands it the task and waits for its one answer; it is killed in every case. */
async function ask(task: SqliteTask, name: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted()
  const child = fork(new URL('./sqlite-child.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  })
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  child.once('message', resolve)
  child.once('error', reject)
  child.once('exit', (code, by) => reject(endedEarly(name, code ?? by ?? 'unknown')))
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    child.send(task)
    return await promise
  } finally {
    signal.removeEventListener('abort', stop)
    child.kill('SIGKILL')
  }
}

function endedEarly(name: string, how: string | number): AppError {
  return new AppError('report.source_failed', `${name}: reading ended early (${how})`, {
    hint: 'The query may need more than 256 MB of memory. Let the database sum up more.',
    params: { source: name, reason: String(how) },
  })
}
