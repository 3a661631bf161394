/** What is wrong with a schedule of the file, as mistakes of the configuration are told: line, words, remedy. */
import type { LoadedConfig } from '../config/load.ts'
import type { ConfigProblem } from '../config/problem.ts'
import { type AppError, isAppError } from '../protocol/errors.ts'

/** True for what the author of the file has to mend. These errors have words in every language. */
export function isMistake(error: unknown): error is AppError {
  return isAppError(error) && /^(schedule|report)\./.test(error.code)
}

/** @param lineOf as the file was read; without it the problem has no line */
export function scheduleProblem(
  { code, params }: AppError,
  { id, index }: { id: string; index: number },
  lineOf?: LoadedConfig['lineOf'],
): ConfigProblem {
  const key = `error.${code}`
  return {
    line: lineOf?.(['schedules', index]),
    message: {
      key: 'config.problem.schedule',
      params: { id, number: index + 1, why: { key, params, part: 'wrong' } },
    },
    fix: { key, params, part: 'remedy' },
  }
}
