/** Running a command that somebody else wrote. Implemented in `src/sandbox`. */

/** A command and everything that confines it. */
export interface SandboxCommand {
  /** Run as `bash -c <command>`; the bytes are never changed. */
  readonly command: string
  /** Real path inside the workspace. */
  readonly cwd: string
  /** Real path of the only writable folder. */
  readonly workspace: string
  /** Added to the fixed environment (PATH, HOME, LANG, TERM, TZ); already vetted. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** File outside the sandbox that receives the whole output, at most 50 MB. */
  readonly logPath: string
  /** File outside the sandbox that receives the exit status, so that a crash of ours loses nothing. */
  readonly statusPath: string
  /** Longest output kept for the result, bytes: half head, half tail. */
  readonly outputBytes: number
}

/** How a command ended. */
export interface SandboxResult {
  /** 0–255, or undefined when a signal or a limit ended it. */
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  readonly ended: 'exit' | 'signal' | 'timeout' | 'aborted' | 'limit'
  /** Which limit: `memory`, `pids`, `file-size`, `cpu`. */
  readonly limit?: string
  /** Standard output and error as they came, control codes removed, head and tail. */
  readonly output: string
  readonly totalBytes: number
  readonly omittedBytes: number
  readonly durationMs: number
  /** True when the command asked for input that nobody could give. */
  readonly wantedInput: boolean
}

/** What kind of sandbox this machine gives. */
export interface SandboxStatus {
  /** `bubblewrap`, or `none` when the operator chose it by name, or `unavailable`. */
  readonly kind: 'bubblewrap' | 'none' | 'unavailable'
  /** Why it is unavailable and what to do; empty otherwise. */
  readonly reason: string
  /** Part of every command's digest: what the sandbox allows, in one line. */
  readonly profile: string
}

/** A program of the service's own, with arguments that it made itself: not confined. */
export interface TrustedProgram {
  /** Absolute program and arguments; no shell reads them. */
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** File that receives its standard output; it is killed when it writes more than `outputBytes`. */
  readonly outputPath: string
  readonly outputBytes: number
  readonly timeoutMs: number
}

/** Runs commands, each confined to one workspace. */
export interface Sandbox {
  status(): SandboxStatus
  /**
   * Runs a trusted program in the small process that starts commands, so that the service's event loop
   * does not wait for the start. `code` is absent when it was killed: limit, timeout or abort. Absent
   * where there is no such process.
   */
  runTrusted?(
    program: TrustedProgram,
    signal: AbortSignal,
  ): Promise<{ readonly code?: number | undefined; readonly complaint: string }>
  /** Runs to its end. Rejects with an `AppError` (`sandbox.unavailable`) when nothing was started. */
  run(command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult>
  close(): Promise<void>
}
