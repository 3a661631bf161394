/** What a launcher reads from its descriptors, so that neither a process list nor a file shows it. */
import type { ChildProcess } from 'node:child_process'

/** Descriptor of the first content: behind the three of every process and the launcher's own status. */
export const FIRST_INPUT = 4

export interface Inputs {
  /** In the order of their descriptors; the first holds the launcher's options. */
  readonly contents: readonly Buffer[]
  /** Takes a content; returns the number of its descriptor, as options name it. */
  add(content: Buffer | string): string
  /** Sets the launcher's options, which come first and are known last. */
  setOptions(options: readonly string[]): void
}

/** Inputs for one launch. */
export function createInputs(): Inputs {
  const contents = [Buffer.alloc(0)]
  return {
    contents,
    add: (content) => String(FIRST_INPUT + contents.push(Buffer.from(content)) - 1),
    setOptions: (options) => {
      contents[0] = Buffer.from(`${options.join('\0')}\0`)
    },
  }
}

/** Lets a launcher that has just been started read its contents. */
export function offerInputs({ stdio }: ChildProcess, contents: readonly Buffer[]): void {
  for (const [index, content] of contents.entries()) {
    const pipe = stdio[FIRST_INPUT + index]
    if (!pipe || !('end' in pipe)) continue
    // The launcher may die before it has read everything; its exit tells, not this pipe.
    pipe.on('error', () => {})
    pipe.end(content)
  }
}
