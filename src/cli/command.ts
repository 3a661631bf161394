/** A command of the program. */
export interface CommandInput {
  readonly args: readonly string[]
  readonly configFile?: string
  /** `--role` of serve: `all` (default) or `gateway`, which takes events and leaves the work to others. */
  readonly role?: string
}

export type Command = (input: CommandInput) => Promise<void>
