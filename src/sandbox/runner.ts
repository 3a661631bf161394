/**
 * Runs one job to its end: starts it, drains it, ends it in time, records how it ended. Runs in the
 * broker process; knows processes and pipes, not what the command means.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import type { Clock } from '../protocol/ports.ts'
import type { ControlGroup } from './cgroup.ts'
import { type ExitStatus, writeExitStatus } from './exit-status.ts'
import { offerInputs } from './inputs.ts'
import type { Job, JobResult } from './job.ts'
import { createOutputWindow, type OutputWindow } from './output.ts'
import type { Claimer } from './ownership.ts'
import type { Pipe, PipePool } from './pipes.ts'
import { descendants, signal } from './process-tree.ts'
import { explain } from './verdict.ts'
import type { WarmShells } from './warm-shells.ts'

const LOG_BYTES = 50 * 1024 * 1024
const GRACE_MS = 2_000
/** A thirtieth of the service's share of a processor, when both want it. */
const COMMAND_NICENESS = 15
/** How long an ended command's pipe may stay open, held by a process that fled its group (kind `none`). */
const PIPE_MS = 250

/** Becomes the command with both outputs in one pipe, in order. */
const ENTER = 'exec "$@" 2>&1'

export interface RunnerDeps {
  readonly clock: Clock
  readonly pipes: PipePool
  readonly warmShells: WarmShells
  readonly claimer: Claimer
}

export type JobOutcome = { readonly result: JobResult } | { readonly refused: string }

/** The process of a command: a shell that will become it, or the command itself. */
interface Seat {
  readonly child: ChildProcess
  readonly output: Pipe['reader']
  readonly group: ControlGroup | undefined
  become(argv: readonly string[]): void
}

interface Running {
  readonly child: ChildProcess
  readonly window: OutputWindow
  /** What bubblewrap said about the namespace's first process and its end. */
  readonly status: { text: string }
}

/** Runs the job; an abort of `abort` ends it like a timeout does. */
export async function runJob(job: Job, deps: RunnerDeps, abort: AbortSignal): Promise<JobOutcome> {
  const { clock } = deps
  const started = clock.monotonic()
  if (job.claim) deps.claimer.claim(job.claim.path, job.claim.uid, job.claim.gid)
  const seat = job.group
    ? await deps.warmShells.take({ limits: job.group, inputs: job.inputs.length })
    : await spawnDirectly(job, deps.pipes)
  const { group, output } = seat
  try {
    const running = start(job, seat)
    const cut = superviseEnd(job, running, clock, abort)
    const exit = await ended(running.child, output, clock)
    cut.stop()
    if ('error' in exit) return { refused: exit.error }
    const inner = readStatus(running.status.text).exitCode
    const hit = group?.hit()
    // bubblewrap gives an exit code only once the sandbox stood; without one, and unless something killed
    // bubblewrap itself, nothing was run.
    const killed = cut.reason() !== undefined || exit.signal !== undefined || hit !== undefined
    if (job.namespaced && inner === undefined && !killed) {
      return { refused: running.window.read().text.trim() || 'the sandbox did not start' }
    }
    const code = job.namespaced ? inner : exit.code
    const read = running.window.read()
    const verdict = explain({
      code,
      signal: exit.signal,
      cut: cut.reason(),
      hit,
      output: read.text,
    })
    const summary = { totalBytes: running.window.total, durationMs: Math.round(clock.monotonic() - started) }
    const status: ExitStatus = { ...verdict.status, ...summary }
    writeExitStatus(job.statusPath, status)
    return {
      result: { ...status, output: read.text, omittedBytes: read.omitted, wantedInput: verdict.wantedInput },
    }
  } finally {
    // A shell that never became the command would wait for ever.
    seat.child.kill('SIGKILL')
    output.destroy()
    group?.remove()
  }
}

/** For a command outside of groups and namespaces: it has its own folder and environment from the start. */
async function spawnDirectly(job: Job, pipes: PipePool): Promise<Seat> {
  const pipe = await pipes.take()
  const child = spawn('/bin/sh', ['-c', ENTER, 'sh', ...job.argv], {
    cwd: job.cwd,
    env: job.env,
    detached: true,
    stdio: ['ignore', pipe.writer, 'ignore', 'pipe', ...job.inputs.map(() => 'pipe' as const)],
  })
  closeSync(pipe.writer)
  return { child, output: pipe.reader, group: undefined, become: () => {} }
}

function start(job: Job, seat: Seat): Running {
  const { child } = seat
  const window = createOutputWindow(job.outputBytes)
  keep(seat.output, window, job.logPath)
  offerInputs(
    child,
    job.inputs.map((content) => Buffer.from(content, 'base64')),
  )
  const status = collectStatus(child.stdio[3])
  standBack(child.pid)
  seat.become(job.argv)
  return { child, window, status }
}

/** Behind the service whatever it does: many busy loops in one chat must not make every other chat slow (S12). */
function standBack(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, COMMAND_NICENESS)
  } catch {
    // It has ended already.
  }
}

function collectStatus(pipe: Readable | Writable | null | undefined): { text: string } {
  const status = { text: '' }
  pipe?.on('data', (chunk: Buffer) => {
    if (status.text.length < 4_096) status.text += chunk.toString()
  })
  return status
}

/** Drains the pipe for ever: into the window always, into the log until it is full. */
function keep(pipe: Readable, window: OutputWindow, logPath: string): void {
  const log = openSync(logPath, 'w', 0o600)
  let room = LOG_BYTES
  pipe.on('data', (chunk: Buffer) => {
    window.add(chunk)
    if (room === 0) return
    try {
      const part = chunk.subarray(0, room)
      writeSync(log, part)
      room -= part.length
    } catch {
      // A full disk ends the log, not the command: its result still carries head and tail.
      room = 0
    }
  })
  pipe.once('close', () => closeSync(log))
}

interface Cut {
  reason(): 'timeout' | 'aborted' | undefined
  stop(): void
}

/** Ends the command at its time limit or on abort: SIGTERM for all, two seconds later SIGKILL. */
function superviseEnd(job: Job, running: Running, clock: Clock, abort: AbortSignal): Cut {
  let reason: 'timeout' | 'aborted' | undefined
  let cancelKill = (): void => {}
  const terminate = (why: 'timeout' | 'aborted'): void => {
    if (reason) return
    reason = why
    const { pid } = running.child
    if (pid === undefined) return
    const first = readStatus(running.status.text).pid
    for (const each of first === undefined ? [-pid] : descendants(first)) signal(each, 'SIGTERM')
    cancelKill = clock.after(GRACE_MS, () => {
      // Killing the first process of a PID namespace makes the kernel kill all others.
      const last = readStatus(running.status.text).pid
      if (last !== undefined) signal(last, 'SIGKILL')
      signal(-pid, 'SIGKILL')
    })
  }
  const cancelTimeout = clock.after(job.timeoutMs, () => terminate('timeout'))
  const onAbort = (): void => terminate('aborted')
  abort.addEventListener('abort', onAbort, { once: true })
  if (abort.aborted) onAbort()
  return {
    reason: () => reason,
    stop: () => {
      cancelTimeout()
      cancelKill()
      abort.removeEventListener('abort', onAbort)
      // What a command without a PID namespace left behind in its group.
      if (running.child.pid !== undefined && !job.namespaced) signal(-running.child.pid, 'SIGKILL')
    },
  }
}

type Exit =
  | { readonly code: number | undefined; readonly signal: string | undefined }
  | { readonly error: string }

/** Resolves when the command has ended and its output is read, or {@link PIPE_MS} later if an escaped process keeps the pipe open. */
function ended(child: ChildProcess, output: Pipe['reader'], clock: Clock): Promise<Exit> {
  const drained = new Promise<void>((resolve) => output.once('close', () => resolve()))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error: error.message }))
    child.once('exit', (code, by) => {
      const exit = { code: code ?? undefined, signal: by ?? undefined }
      const cancel = clock.after(PIPE_MS, () => resolve(exit))
      void drained.then(() => {
        cancel()
        resolve(exit)
      })
    })
  })
}

const statusLine = z.object({ 'child-pid': z.int().optional(), 'exit-code': z.int().optional() })

/** Reads bubblewrap's status lines; an exit code is there only when the sandbox had been set up. */
function readStatus(text: string): { pid: number | undefined; exitCode: number | undefined } {
  const lines = text
    .split('\n')
    .filter((line) => line.trimEnd().endsWith('}'))
    .flatMap((line) => {
      const parsed = statusLine.safeParse(JSON.parse(line))
      return parsed.success ? [parsed.data] : []
    })
  return {
    pid: lines.find((line) => line['child-pid'] !== undefined)?.['child-pid'],
    exitCode: lines.find((line) => line['exit-code'] !== undefined)?.['exit-code'],
  }
}
