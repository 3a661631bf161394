/**
 * Keeps one shell ready that has already joined its control group. Joining takes longer than everything else that a
 * sandbox needs, because the kernel waits until every processor has noticed. When a command arrives, the shell
 * becomes it by `exec`. Knows shells and groups, not commands.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Clock } from '../protocol/ports.ts'
import { type ControlGroup, createControlGroup, type GroupLimits } from './cgroup.ts'
import type { Pipe, PipePool } from './pipes.ts'
import { shellQuote } from './shell-quote.ts'

export interface WarmShell {
  readonly child: ChildProcess
  /** Both outputs of the command. */
  readonly output: Pipe['reader']
  readonly group: ControlGroup | undefined
  /** Turns the shell into the program: exactly these arguments, `/dev/null` to read from. */
  become(argv: readonly string[]): void
}

/** What is settled before the command is known; the same for all commands of a sandbox. */
export interface WarmShellKind {
  readonly limits: GroupLimits
  /** Descriptors 4, 5, … that the command will be offered. */
  readonly inputs: number
}

export interface WarmShells {
  /** The ready shell if it fits, else a new one. The caller ends it and removes its group. Rejects when none can be started. */
  take(kind: WarmShellKind): Promise<WarmShell>
  /** True until the control group of that number was given up. */
  owns(id: number): boolean
  /** Ends the one that waits. */
  close(): Promise<void>
}

interface Waiting {
  readonly kind: WarmShellKind
  readonly shell: WarmShell
}

/** Delay before the next shell is started, so that it does not compete with the start of the command. Milliseconds. */
const REFILL_MS = 100

/** No shell is started before the first command. */
export function createWarmShells(deps: { readonly clock: Clock; readonly pipes: PipePool }): WarmShells {
  const owned = new Set<number>()
  let next = 1
  let waiting: Waiting | undefined
  let refilling: Promise<void> | undefined
  let cancelRefill = (): void => {}

  const start = async (kind: WarmShellKind): Promise<WarmShell> => {
    const id = next++
    const made = createControlGroup({ pid: process.pid, id }, kind.limits)
    owned.add(id)
    const remove = (): void => {
      owned.delete(id)
      made?.remove()
    }
    try {
      return await startShell(kind.inputs, made && { ...made, remove }, deps.pipes)
    } catch (error) {
      remove()
      throw error
    }
  }
  const drop = async (): Promise<void> => {
    const given = waiting?.shell
    waiting = undefined
    if (given) await dismiss(given)
  }
  const refill = async (kind: WarmShellKind): Promise<void> => {
    if (waiting && fits(waiting, kind)) return
    await drop()
    // If this fails the next command tries again, and says why.
    waiting = await start(kind).then(
      (shell) => ({ kind, shell }),
      () => undefined,
    )
  }
  return {
    async take(kind) {
      cancelRefill()
      cancelRefill = deps.clock.after(REFILL_MS, () => {
        refilling ??= refill(kind).finally(() => {
          refilling = undefined
        })
      })
      const given = waiting
      if (!given || !fits(given, kind)) return start(kind)
      waiting = undefined
      return given.shell
    },
    owns: (id) => owned.has(id),
    async close() {
      cancelRefill()
      await refilling
      await drop()
    },
  }
}

const fits = ({ kind, shell }: Waiting, wanted: WarmShellKind): boolean =>
  isAlive(shell) &&
  kind.inputs === wanted.inputs &&
  kind.limits.memoryBytes === wanted.limits.memoryBytes &&
  kind.limits.pids === wanted.limits.pids

const isAlive = ({ child }: WarmShell): boolean => child.exitCode === null && child.signalCode === null

async function startShell(
  inputs: number,
  group: ControlGroup | undefined,
  pipes: PipePool,
): Promise<WarmShell> {
  const pipe = await pipes.take()
  const child = spawn('/bin/sh', ['-s'], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', pipe.writer, 'ignore', 'pipe', ...Array.from({ length: inputs }, () => 'pipe' as const)],
  })
  closeSync(pipe.writer)
  // Whoever waits for the command learns from its end that it died, not from this pipe.
  child.stdin?.on('error', () => {})
  const order = (line: string): void => void child.stdin?.write(`${line}\n`)
  try {
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  } catch (error) {
    pipe.reader.destroy()
    throw error
  }
  for (const file of group?.joins ?? []) order(`echo $$ >${shellQuote(file)} || exit 125`)
  return {
    ...{ child, group, output: pipe.reader },
    become: (argv) => {
      order(`exec ${argv.map(shellQuote).join(' ')} </dev/null 2>&1`)
      child.stdin?.end()
    },
  }
}

async function dismiss(shell: WarmShell): Promise<void> {
  const gone = new Promise<void>((resolve) => shell.child.once('exit', () => resolve()))
  if (isAlive(shell)) {
    shell.child.kill('SIGKILL')
    await gone
  }
  shell.output.destroy()
  shell.group?.remove()
}
