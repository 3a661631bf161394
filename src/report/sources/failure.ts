/** How reading fails, in words for the person who waits for the report. Messages hold no addresses or passwords. */
import { AppError } from '../../protocol/errors.ts'

/** The source is away, refuses the login, or is not there: trying again later may help. */
export function sourceUnavailable(source: string, reason: string, cause?: unknown): AppError {
  return new AppError('report.source_unavailable', `${source}: ${reason}`, {
    hint: 'Check that the source is up and that its address, file and password in the configuration are right.',
    retryable: true,
    params: { source, reason },
    cause,
  })
}

export function sourceTimeout(source: string, ms: number): AppError {
  return new AppError('report.source_timeout', `${source}: no answer within ${ms} ms`, {
    hint: 'Ask for a shorter period, or let the database sum up (an index may be missing).',
    retryable: true,
    params: { source, seconds: Math.round(ms / 1_000) },
  })
}

/** The database understood the query and refused it: a table or column that is not there, a right. */
export function sqlFailed(source: string, reason: string): AppError {
  return new AppError('report.sql_failed', `${source}: ${reason}`, {
    hint: 'Correct the query; names must be written as the database has them.',
    params: { source, reason: reason.slice(0, 300) },
  })
}

/** Something other than a table came out of a file or an answer. */
export function sourceUnreadable(source: string, reason: string, hint: string): AppError {
  return new AppError('report.source_unreadable', `${source}: ${reason}`, {
    hint,
    params: { source, reason },
  })
}
