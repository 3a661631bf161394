import type { AppError } from '../../protocol/errors.ts'
import type { Locale, Translate } from '../../protocol/ports.ts'
import { type ErrorWords, errorWords } from '../error-words.ts'

/** How the doctor speaks: the language of whoever reads the terminal. */
export interface Speech {
  readonly text: Translate
  /** What an error says and what to do, in that language. */
  readonly error: (error: AppError) => ErrorWords
}

export function createSpeech(locale: Locale, text: Translate): Speech {
  return { text, error: (error) => errorWords(error, locale, text) }
}
