/**
 * One virtual desktop per session: a display without a screen, a window manager, and the programs an
 * operator allows, in a cell without network that sees the session's workspace. This room knows displays
 * and accessibility; it refuses to know who may use them and why.
 */
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import type { Cells, Lack } from '../sandbox/cell.ts'
import { findProgram } from '../sandbox/programs.ts'
import { createSessionPrograms, type SessionPrograms } from '../sandbox/session-programs.ts'
import { desktopArgv, startDesktop, type VirtualDesktop } from './virtual-desktop.ts'

export interface DesktopsDeps {
  /** Programs that may be opened, by name. */
  readonly programs: readonly string[]
  readonly max: number
  readonly idleMs: number
  readonly cells: Cells
  readonly epoch: (sessionId: string) => Promise<number>
  readonly clock: Clock
  /** Where programs are looked for, as `PATH` writes it. */
  readonly path?: string
  /** Whether a file that fits a pattern is there; the machine's own files if absent. */
  readonly exists?: (pattern: string) => Promise<boolean>
}

/** The virtual desktops of all sessions, one each. */
export interface Desktops extends SessionPrograms<VirtualDesktop> {
  readonly programs: readonly string[]
  /** Makes what the service wrote into a workspace readable for programs on the desktop. */
  claim(workspace: string): Promise<void>
  /** Why no desktop can be opened here, with the remedy; undefined when one can. */
  problem(): Promise<Lack | undefined>
}

/** What a desktop is made of: a program, or the pattern of a file; and Debian's package for each. */
const NEEDED: Readonly<Record<string, string>> = {
  Xvfb: 'xvfb',
  openbox: 'openbox',
  xdotool: 'xdotool',
  maim: 'maim',
  'dbus-run-session': 'dbus-x11',
  '/usr/lib{exec,/at-spi2-core}/at-spi-bus-launcher': 'at-spi2-core',
  '/usr/lib/{*/,}girepository-1.0/Atspi-2.0.typelib': 'gir1.2-atspi-2.0',
  '/usr/lib/python3*/{dist,site}-packages/gi/__init__.py': 'python3-gi',
}

/** Why no desktop can be opened on this machine, with the remedy. */
export async function desktopProblem(
  deps: Pick<DesktopsDeps, 'programs' | 'path' | 'exists'> & { readonly cells: Pick<Cells, 'problem'> },
): Promise<Lack | undefined> {
  const exists = deps.exists ?? anyFile
  const isThere = async (need: string): Promise<boolean> =>
    need.startsWith('/') ? exists(need) : (await findProgram(need, deps.path)) !== undefined
  const needs = await Promise.all(
    Object.entries(NEEDED).map(async ([need, pack]) => ((await isThere(need)) ? [] : [pack])),
  )
  // A desktop is of no use without anything to open on it; one of several programs may be missing.
  const programs = await Promise.all(deps.programs.map(isThere))
  const missing = [...needs.flat(), ...(programs.includes(true) ? [] : deps.programs.slice(0, 1))]
  if (missing.length === 0) return deps.cells.problem()
  const packages = missing.join(' ')
  const message = `The virtual desktop lacks programs. Install them: apt-get install ${packages}`
  return { key: 'desktop', params: { packages }, message }
}

/** Starts nothing by itself. Opening rejects with `tool.unavailable` where a needed program is missing. */
export function createDesktops(deps: DesktopsDeps): Desktops {
  const problem = (): Promise<Lack | undefined> => desktopProblem(deps)
  const sessionPrograms = createSessionPrograms<VirtualDesktop>({
    ...deps,
    noun: 'desktop',
    howToOpen: 'Open a program with ax_script "open …".',
    open: async (owner) => {
      const missing = await problem()
      if (missing !== undefined) {
        throw new AppError('tool.unavailable', missing.message, {
          hint: 'Tell the person; an operator can fix it.',
        })
      }
      const launch = await deps.cells.launch({
        folder: join(owner.privateDir, 'desktop'),
        workspace: owner.workspace,
        network: 'none',
        nests: false,
        env: {},
        argv: await desktopArgv(deps.programs),
      })
      return startDesktop(launch, deps.clock)
    },
  })
  return { ...sessionPrograms, programs: deps.programs, problem, claim: deps.cells.claim }
}

async function anyFile(pattern: string): Promise<boolean> {
  for await (const _file of glob(pattern)) return true
  return false
}
