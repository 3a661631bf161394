/** One virtual desktop: the process in its cell, and the questions and answers that go through its pipes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import type { CellLaunch } from '../sandbox/cell.ts'
import type { SessionProgram } from '../sandbox/session-programs.ts'

/** Size of every desktop, pixels; clicks and pictures use the same. */
export const SCREEN = { width: 1280, height: 800 } as const

const answerSchema = z.looseObject({
  id: z.int(),
  ok: z.boolean(),
  kind: z.string().default('failed'),
  message: z.string().default(''),
  png: z.string().optional(),
  windows: z.array(z.string()).default([]),
  lines: z.array(z.string()).default([]),
})

/** What a deed brought back; which parts are filled depends on the deed. */
export type DesktopAnswer = Pick<z.output<typeof answerSchema>, 'png' | 'windows' | 'lines'>

/** One action, as `driver.py` takes it; `do` names it. */
export interface DesktopStep {
  readonly do: string
  readonly [argument: string]: unknown
}

/** A running desktop; steps are answered by their ids, in whatever order. */
export interface VirtualDesktop extends SessionProgram {
  /**
   * Does one thing and resolves to what it brought. Rejects with `tool.<type>` when it could not be done,
   * with `tool.timeout` after `ms` (the desktop is ended then: it hangs), with `tool.failed` when it is gone.
   */
  act(step: DesktopStep, ms: number): Promise<DesktopAnswer>
}

interface Waiting {
  resolve(answer: DesktopAnswer): void
  reject(error: AppError): void
}

const START_MS = 30_000
const MAX_LINE_CHARS = 24 * 1024 * 1024
const KEPT_STDERR = 2_000

/** The command line inside the cell: its own message bus, then the desktop. */
export async function desktopArgv(programs: readonly string[]): Promise<string[]> {
  const parts = ['./elements.py', './driver.py'].map((name) =>
    readFile(new URL(name, import.meta.url), 'utf8'),
  )
  const source = (await Promise.all(parts)).join('\n')
  return [
    ...['/usr/bin/dbus-run-session', '--', '/usr/bin/python3', '-I', '-B', '-W', 'ignore', '-c', source],
    ...[String(SCREEN.width), String(SCREEN.height), JSON.stringify(programs)],
  ]
}

/** Starts it and resolves when its screen is on; rejects with `tool.unavailable` and what it said. */
export async function startDesktop(launch: CellLaunch, clock: Clock): Promise<VirtualDesktop> {
  const child = spawn(launch.file, [...launch.args], {
    env: {},
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const desktop = converse(child, clock)
  try {
    await desktop.ready
    return desktop
  } catch (error) {
    await desktop.close(false)
    const said = desktop.said().split('\n').at(-1)
    throw new AppError('tool.unavailable', `The virtual desktop did not start. ${said ?? ''}`.trim(), {
      hint: 'Tell the person; an operator can fix it.',
      cause: error,
    })
  }
}

function converse(
  child: ChildProcess,
  clock: Clock,
): VirtualDesktop & { ready: Promise<unknown>; said(): string } {
  const waiting = new Map<number, Waiting>()
  let next = 1
  let said = ''
  let isGone = false
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      isGone = true
      for (const { reject } of waiting.values()) reject(ended())
      waiting.clear()
      resolve()
    }
    child.once('exit', end)
    child.once('error', end)
  })
  const kill = (): void => {
    if (child.pid !== undefined && !isGone) child.kill('SIGKILL')
  }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_STDERR)
  })
  // A desktop that has gone takes nothing any more; its exit tells.
  child.stdin?.on('error', () => undefined)
  const answers = child.stdio[3]
  if (answers && 'read' in answers) {
    createInterface({ input: answers }).on('line', (line) => settle(line, waiting, kill))
  }
  const wait = (id: number, ms: number): Promise<DesktopAnswer> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(ms, () => {
        waiting.delete(id)
        reject(hung(ms))
        kill()
      })
      const after =
        <T>(done: (value: T) => void) =>
        (value: T): void => {
          cancel()
          done(value)
        }
      waiting.set(id, { resolve: after(resolve), reject: after(reject) })
    })
  return {
    gone,
    ready: wait(0, START_MS),
    said: () => said.trim(),
    act: async (step, ms) => {
      if (isGone) throw ended()
      const id = next++
      const answer = wait(id, ms)
      child.stdin?.write(`${JSON.stringify({ ...step, id })}\n`)
      return answer
    },
    close: async () => {
      kill()
      await gone
    },
  }
}

function settle(line: string, waiting: Map<number, Waiting>, kill: () => void): void {
  const parsed = line.length > MAX_LINE_CHARS ? undefined : parseLine(line)
  if (!parsed) {
    // Whatever speaks there is not our desktop any more.
    kill()
    return
  }
  const one = waiting.get(parsed.id)
  waiting.delete(parsed.id)
  if (parsed.ok) one?.resolve(parsed)
  else one?.reject(new AppError(`tool.${parsed.kind}`, parsed.message, { hint: HINTS[parsed.kind] ?? '' }))
}

function parseLine(line: string): z.output<typeof answerSchema> | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const HINTS: Readonly<Record<string, string>> = {
  not_found: 'Look again with screenshot or ax_script "tree".',
  refused: 'An operator names the programs that may be opened (computer.programs).',
  unavailable: 'An operator can install it.',
}

function ended(): AppError {
  return new AppError('tool.failed', 'The virtual desktop has ended unexpectedly; what was open is gone.', {
    hint: 'Use a desktop tool again: it starts a new one.',
  })
}

function hung(ms: number): AppError {
  return new AppError(
    'tool.timeout',
    `The virtual desktop did not answer within ${Math.round(ms / 1_000)} s; it was ended.`,
    {
      hint: 'Use a desktop tool again: it starts a new one.',
    },
  )
}
