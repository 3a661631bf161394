/** Refusals of the workbench, for the model by their words and for people by their code. */
import { AppError } from '../protocol/errors.ts'

/** What does not exist and what the caller may not see: the same words (T1). */
export function missing(what: 'terminal' | 'task' | 'profile', hint: string): AppError {
  return new AppError(`workbench.${what}_not_found`, `There is no such ${what}.`, { hint })
}

/** A rule that stands against it; `hint` says what to do instead. */
export function refusal(code: string, message: string, hint: string): AppError {
  return new AppError(`workbench.${code}`, message, { hint })
}
