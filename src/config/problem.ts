/** What is wrong with a configuration, in words that are put into a language when somebody reads them. */
import { AppError } from '../protocol/errors.ts'
import type { Translate } from '../protocol/ports.ts'

/** A text of the locale files. A value may be another one. */
export interface Words {
  readonly key: string
  readonly params?: Readonly<Record<string, string | number | Words>>
  /** Of a text whose first line says what is wrong and whose others say what to do, only the one or the others. */
  readonly part?: 'wrong' | 'remedy'
}

/** One mistake and what to write instead; `line` counts from 1 and is undefined without a place in the file. */
export interface ConfigProblem {
  readonly line: number | undefined
  readonly message: Words
  readonly fix: Words
}

/** The refusal of a file, with every problem at its line. Its message names the texts; {@link ConfigError.in} says them. */
export class ConfigError extends AppError {
  readonly file: string
  readonly problems: readonly ConfigProblem[]

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const named = problems.map(({ line, message }) => `${file}:${line ?? 1} ${JSON.stringify(message)}`)
    super('config.invalid', named.join('\n'))
    this.file = file
    this.problems = problems
  }

  /** The holes of the text `error.config.invalid` in a language. */
  in(text: Translate): { readonly count: number; readonly list: string } {
    return { count: this.problems.length, list: `\n${listProblems(this.file, this.problems, text)}` }
  }
}

function listProblems(file: string, problems: readonly ConfigProblem[], text: Translate): string {
  const told = ({ line, message, fix }: ConfigProblem): string => {
    const remedy = say(fix, text)
    const what = `  ${file}${line ? `:${line}` : ''}  ${say(message, text)}`
    return remedy === '' ? what : `${what}\n      → ${remedy}`
  }
  const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return inOrder.map(told).join('\n')
}

function say({ key, params = {}, part }: Words, text: Translate): string {
  const said = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'object' ? say(value, text) : value,
  ])
  const whole = text(key, Object.fromEntries(said))
  if (part === undefined) return whole
  const { wrong, remedy } = splitRemedy(whole)
  return part === 'wrong' ? wrong : remedy
}

/** A text in what is wrong (its first line) and what to do (the others, empty when there are none). */
export function splitRemedy(text: string): { wrong: string; remedy: string } {
  const [wrong = '', ...remedy] = text.split('\n')
  return { wrong, remedy: remedy.join('\n') }
}
