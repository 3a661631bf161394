/** Puts into words how a command ended: the same words at once and when found again after a crash. */
import type { SandboxResult } from '../../protocol/sandbox.ts'
import { type ToolResult, toolError } from '../../protocol/tool.ts'
import { cutMiddle } from '../model-copy.ts'

const ADVICE: Readonly<Record<string, string>> = {
  memory: 'It used more memory than the sandbox gives. Work on less data at once.',
  pids: 'It started more processes than the sandbox allows. Lower its parallelism.',
  'file-size': 'It wrote a file larger than the sandbox allows. Write smaller files.',
  cpu: 'It used up its processor time. Do less in one command.',
}

export type Ending = Omit<SandboxResult, 'exitCode' | 'signal' | 'limit'> & {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly limit?: string | undefined
}

/** A command that ended by itself is a result whatever its exit code; one that was ended is a failure. */
export function commandResult(result: Ending, logName: string, mostCharacters?: number): ToolResult {
  const body = cutMiddle(
    result.output.trimEnd(),
    `the whole output is in "${logName}" for read_file and grep`,
    mostCharacters,
  )
  const notes = [
    headline(result),
    ...(result.wantedInput ? ['needed input: nobody can answer, pass the answer as a flag or a file'] : []),
    ...(result.omittedBytes > 0
      ? [
          `${result.omittedBytes} bytes beyond that left out; whole output (${result.totalBytes} bytes): "${logName}"`,
        ]
      : []),
  ]
  const text = `${body === '' ? '(no output)' : body}\n[${notes.join('; ')}]`
  if (result.ended === 'exit' || result.ended === 'signal') {
    return { ok: true, text, data: { exitCode: result.exitCode, signal: result.signal } }
  }
  const hint =
    result.ended === 'timeout'
      ? 'Raise timeout_ms (at most 600000), do less at once, or find out what it waited for.'
      : result.ended === 'limit'
        ? (ADVICE[result.limit ?? ''] ?? 'Use less.')
        : 'It may have done a part of its work.'
  return toolError(result.ended, text, hint)
}

function headline(result: Ending): string {
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s`
  if (result.ended === 'exit') return `exit code ${result.exitCode ?? '?'}, ${seconds}`
  if (result.ended === 'signal') return `ended by ${result.signal ?? 'a signal'}, ${seconds}`
  const also = result.limit === undefined ? '' : ` (it had also hit the ${result.limit} limit)`
  if (result.ended === 'timeout') return `stopped at its time limit after ${seconds}${also}`
  if (result.ended === 'limit') return `stopped at the ${result.limit ?? 'sandbox'} limit after ${seconds}`
  return `stopped on request after ${seconds}`
}
