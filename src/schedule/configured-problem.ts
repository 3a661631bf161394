/** What is wrong with a schedule of the file, as mistakes of the configuration are told: line, words, remedy. */
import type { LoadedConfig } from '../config/load.ts'
import type { ConfigProblem, Words } from '../config/problem.ts'
import { createTranslate, hasText } from '../locale/index.ts'
import type { AppError } from '../protocol/errors.ts'

/** @param lineOf as the file was read; without it the problem has no line */
export function scheduleProblem(
  error: AppError,
  { id, index }: { id: string; index: number },
  lineOf?: LoadedConfig['lineOf'],
): ConfigProblem {
  const key = `error.${error.code}`
  const { params } = error
  const isSaid = hasText('en', key)
  const why = isSaid ? ({ key, params, part: 'wrong' } satisfies Words) : error.message
  const hasRemedy = isSaid && createTranslate('en')(key).includes('\n')
  return {
    line: lineOf?.(['schedules', index]),
    message: { key: 'config.problem.schedule', params: { id, index, number: index + 1, why } },
    fix: hasRemedy ? { key, params, part: 'remedy' } : { key: 'config.fix.example' },
  }
}
