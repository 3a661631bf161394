/** An error as an operator reads it: what happened and what to do, in the operator's language. */
import { ConfigError, splitRemedy } from '../config/problem.ts'
import { hasText } from '../locale/index.ts'
import type { AppError } from '../protocol/errors.ts'
import type { Locale, Translate } from '../protocol/ports.ts'

export interface ErrorWords {
  readonly message: string
  /** Empty when there is nothing to do. */
  readonly hint: string
}

/** Errors without words of their own for operators keep their English ones, and their links in any language. */
export function errorWords(error: AppError, locale: Locale, text: Translate): ErrorWords {
  const params = error instanceof ConfigError ? error.in(text) : error.params
  const says = (key: string): boolean =>
    hasText(locale, key) && [...text(key).matchAll(/\{(\w+)\}/g)].every(([, hole = '']) => hole in params)
  const key = `error.${error.code}`
  if (says(key) && says(`${key}.hint`))
    return { message: text(key, params), hint: text(`${key}.hint`, params) }
  if (locale === 'en' || !says(key)) return { message: error.message, hint: error.hint }
  const links = error.hint.match(/https?:\/\/[^\s`"，。]*[^\s`"，。.,)]/g) ?? []
  const whole = text(key, params)
  // A text of several lines ends with what to do; a line that came with a value is none of them.
  const { wrong, remedy } = text(key).includes('\n') ? splitRemedy(whole) : { wrong: whole, remedy: '' }
  return { message: wrong, hint: [remedy, ...links].filter((part) => part !== '').join(' ') }
}
