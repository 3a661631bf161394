/** What a scene of the demo model is made of. */
import type { Translate } from '../protocol/ports.ts'

export interface DemoReply {
  readonly say: string
  readonly call?: { readonly tool: string; readonly args: object }
}

/** One step of a scene: a call, or the last words. `results` holds what the earlier steps gave. */
export type Step = (results: readonly string[]) => DemoReply

export interface Stage {
  readonly said: string
  readonly text: Translate
  /** When the Monday of this week began, milliseconds. */
  weekStart(): number
  /** The first of these tools that is offered. */
  offered(...names: readonly string[]): string | undefined
  /** Argument names of a tool; undefined when it is not offered. */
  fields(tool: string): ReadonlySet<string> | undefined
}

export type Scene = (stage: Stage) => readonly Step[] | undefined

/** A fenced block whose fence is longer than any run of backticks inside. */
export function block(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.trim()}\n${fence}`
}
