import type { Locale, Translate } from '../protocol/ports.ts'

/** A command of the program. */
export interface CommandInput {
  readonly args: readonly string[]
  readonly configFile: string | undefined
  /** `--role` of serve: `all` (default) or `gateway`, which takes events and leaves the work to others. */
  readonly role: string | undefined
  /** `--tools` of mcp: a group or a list of names. */
  readonly tools: string | undefined
  /** The language of whoever reads the terminal. */
  readonly locale: Locale
  readonly text: Translate
}

export type Command = (input: CommandInput) => Promise<void>
