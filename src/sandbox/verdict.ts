/** Says how a command ended from what is known about it: exit code, signals, limits, its last words. */
import { constants } from 'node:os'
import type { ExitStatus } from './exit-status.ts'

export interface Evidence {
  readonly code: number | undefined
  /** Signal that ended the launcher itself. */
  readonly signal: string | undefined
  readonly cut: 'timeout' | 'aborted' | undefined
  readonly hit: 'memory' | 'pids' | undefined
  readonly output: string
}

export interface Verdict {
  readonly status: Omit<ExitStatus, 'totalBytes' | 'durationMs'>
  readonly wantedInput: boolean
}

/** Programs that ask a person and find nobody: their prompts and their complaints. */
const WANTS_INPUT =
  /(?:\[y\/n\]|\(y\/n\)|\(yes\/no[^)]*\)|password(?: for [^\n]*)?:|passphrase[^\n:]*:|username[^\n:]*:|press (?:enter|any key)[^\n]*)\s*$|EOFError|EOF when reading a line|terminal is required|no tty present|not a tty|could not read (?:Username|Password)|Inappropriate ioctl for device/im

const NO_PROCESS = /fork: (?:retry: )?Resource temporarily unavailable|Cannot fork|EAGAIN/
const NO_MEMORY =
  /Cannot allocate memory|MemoryError|std::bad_alloc|JavaScript heap out of memory|Out of memory!|allocation failed/
const TOO_LARGE = /File size limit exceeded|File too large|EFBIG/

/** Judges the end. A limit is named only when something failed and the limit explains it. */
export function explain(evidence: Evidence): Verdict {
  const tail = evidence.output.slice(-2_000)
  const failed = evidence.code !== 0
  const wantedInput = (failed || evidence.cut === 'timeout') && WANTS_INPUT.test(tail)
  const limit = failed || evidence.cut ? limitOf(evidence, tail) : undefined
  const by = signalOf(evidence)
  const ended = evidence.cut ?? (limit ? 'limit' : by ? 'signal' : 'exit')
  const status: Verdict['status'] = {
    ended,
    ...(ended === 'exit' && evidence.code !== undefined ? { exitCode: evidence.code } : {}),
    ...(by && !evidence.cut ? { signal: by } : {}),
    ...(limit ? { limit } : {}),
  }
  return { status, wantedInput }
}

function limitOf(evidence: Evidence, tail: string): string | undefined {
  if (evidence.hit) return evidence.hit
  if (evidence.code === 128 + constants.signals.SIGXFSZ || TOO_LARGE.test(tail)) return 'file-size'
  if (evidence.code === 128 + constants.signals.SIGXCPU) return 'cpu'
  if (NO_PROCESS.test(tail)) return 'pids'
  return NO_MEMORY.test(tail) ? 'memory' : undefined
}

/** bubblewrap and bash say 128 + n for a command that signal n ended. */
function signalOf(evidence: Evidence): string | undefined {
  if (evidence.signal) return evidence.signal
  const number = (evidence.code ?? 0) - 128
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0]
}
