/**
 * A shell on a terminal of its own inside the sandbox. The pseudo-terminal is made in there by `script`
 * of util-linux, which every Linux has; the service only holds its pipes, so nothing native is loaded and
 * no terminal of the host is ever opened.
 */
import { AppError } from '../../protocol/errors.ts'
import type { Clock } from '../../protocol/ports.ts'
import { baseEnvironment, type ProgramLauncher, type RunningProgram } from '../../sandbox/index.ts'
import { createScreen, type Screen } from './screen.ts'

export const COLUMNS = 120
export const ROWS = 30

/** Files of the workspace must not decide what a fresh shell does: no start-up file, no key bindings. */
const SHELL = `stty rows ${ROWS} cols ${COLUMNS}; exec /bin/bash --norc --noprofile -i`
const START_MS = 10_000
/** Output taken in one window; a program that floods waits for the next. */
const WINDOW_BYTES = 512 * 1024
const WINDOW_MS = 100
/** Input that a program has not read yet. */
const UNREAD_BYTES = 1024 * 1024
const COMPLAINT_CHARACTERS = 500

export interface ShellOptions {
  /** Path of `script`. */
  readonly program: string
  readonly workspace: string
  /** Real path inside the workspace. */
  readonly folder: string
  readonly network: 'none' | 'host'
  readonly env: Readonly<Record<string, string>>
}

export interface Shell {
  readonly screen: Screen
  readonly ended: RunningProgram['ended']
  /** Rejects with `workbench.terminal_busy` when the program does not read what it was given. */
  write(data: string): void
  kill(): void
}

/** Starts a shell and waits for its first words. Rejects with `sandbox.unavailable` when there is none. */
export async function openShell(
  launcher: ProgramLauncher,
  clock: Clock,
  options: ShellOptions,
): Promise<Shell> {
  const { workspace, folder, network } = options
  const running = await launcher.spawn({
    argv: [options.program, '-q', '-f', '-E', 'always', '-c', SHELL, '/dev/null'],
    cwd: folder,
    env: {
      ...options.env,
      ...baseEnvironment(workspace),
      ...{ TERM: 'xterm-256color', SHELL: '/bin/bash', PS1: '\\w\\$ ' },
      ...{ HISTFILE: '/dev/null', INPUTRC: '/dev/null' },
    },
    network,
    home: workspace,
    readable: [],
    writable: [],
    hidden: [],
  })
  const screen = createScreen()
  const first = takeOutput(running, screen, clock)
  const complaint = takeComplaint(running)
  await ready(running, first, clock, complaint)
  return {
    screen,
    ended: running.ended,
    kill: running.kill,
    write: (data) => {
      if (running.stdin.writableLength > UNREAD_BYTES) {
        throw new AppError('workbench.terminal_busy', 'The program does not read its input.', {
          hint: 'Read the terminal; interrupt the program (data "\\u0003") or close the terminal.',
          retryable: true,
        })
      }
      running.stdin.write(data)
    },
  }
}

/** Fills the screen at a bounded pace; resolves at the first output. */
function takeOutput(running: RunningProgram, screen: Screen, clock: Clock): Promise<void> {
  const decoder = new TextDecoder()
  let inWindow = 0
  return new Promise((resolve) => {
    running.stdout.on('data', (chunk: Buffer) => {
      screen.push(decoder.decode(chunk, { stream: true }))
      resolve()
      if (inWindow === 0) {
        clock.after(WINDOW_MS, () => {
          inWindow = 0
          running.stdout.resume()
        })
      }
      inWindow += chunk.length
      if (inWindow > WINDOW_BYTES) running.stdout.pause()
    })
  })
}

function takeComplaint(running: RunningProgram): () => string {
  let complaint = ''
  running.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < COMPLAINT_CHARACTERS) complaint += chunk.toString()
  })
  return () => complaint.trim().slice(0, COMPLAINT_CHARACTERS)
}

async function ready(
  running: RunningProgram,
  first: Promise<void>,
  clock: Clock,
  complaint: () => string,
): Promise<void> {
  const late = new AbortController()
  const outcome = await Promise.race([
    first.then(() => 'ready' as const),
    running.ended.then(() => 'ended' as const),
    clock.sleep(START_MS, late.signal).then(
      () => 'late' as const,
      () => 'late' as const,
    ),
  ])
  late.abort()
  if (outcome === 'ready') return
  running.kill()
  const reason = complaint() || (outcome === 'late' ? `no prompt after ${START_MS / 1_000} s` : 'it ended')
  throw new AppError('sandbox.unavailable', `The terminal did not start: ${reason}`, {
    hint: 'Run "npm run doctor": it names what the machine lacks.',
    params: { reason },
  })
}
