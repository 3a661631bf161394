/**
 * One virtual desktop per session: a display without a screen, a window manager, and the programs an
 * operator allows, in a cell without network that sees the session's workspace. This room knows displays
 * and accessibility; it refuses to know who may use them and why.
 */
import { join } from 'node:path'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import type { Cells, Lack } from '../sandbox/cell.ts'
import { findProgram } from '../sandbox/programs.ts'
import { createResidents, type Residents } from '../sandbox/residents.ts'
import { type Desk, deskArgv, startDesk } from './desk.ts'

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
}

export interface Desktops extends Residents<Desk> {
  readonly programs: readonly string[]
  /** Makes what the service wrote into a workspace readable for programs on the desktop. */
  claim(workspace: string): Promise<void>
  /** Why no desktop can be opened here, with the remedy; undefined when one can. */
  problem(): Promise<Lack | undefined>
}

/** What a desktop is made of, and Debian's package for each. */
const NEEDED: Readonly<Record<string, string>> = {
  Xvfb: 'xvfb',
  openbox: 'openbox',
  xdotool: 'xdotool',
  maim: 'maim',
  python3: 'python3-gi gir1.2-atspi-2.0 at-spi2-core',
  'dbus-run-session': 'dbus-x11',
}

export function createDesktops(deps: DesktopsDeps): Desktops {
  const problem = async (): Promise<Lack | undefined> => {
    const found = await Promise.all(
      Object.entries(NEEDED).map(async ([program, pack]) =>
        (await findProgram(program, deps.path)) ? [] : [pack],
      ),
    )
    const missing = found.flat()
    if (missing.length === 0) return deps.cells.problem()
    const packages = missing.join(' ')
    const message = `The virtual desktop lacks programs. Install them: apt-get install ${packages}`
    return { key: 'desktop', params: { packages }, message }
  }
  const residents = createResidents<Desk>({
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
        argv: await deskArgv(deps.programs),
      })
      return startDesk(launch, deps.clock)
    },
  })
  return { ...residents, programs: deps.programs, problem, claim: deps.cells.claim }
}
