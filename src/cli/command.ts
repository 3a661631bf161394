/** A command of the program. */
export interface CommandInput {
  readonly args: readonly string[]
  readonly configFile?: string
}

export type Command = (input: CommandInput) => Promise<void>
