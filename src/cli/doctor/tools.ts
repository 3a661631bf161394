/** What the operator switched on, held against this machine: programs, a search source, a key. */
import { browserProblem } from '../../browser/browsers.ts'
import type { Config } from '../../config/schema.ts'
import { desktopProblem } from '../../desktop/desktops.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Clock, Translate } from '../../protocol/ports.ts'
import { type Cells, createCells, type Lack } from '../../sandbox/cell.ts'

/** Programs that the browser and the virtual desktop need, a search source, a key for videos. */
export async function checkTools(
  config: Config,
  clock: Clock,
  text: Translate,
  cells: Pick<Cells, 'problem'> = createCells(config.sandbox.user, clock),
): Promise<Diagnosis[]> {
  const { browser, computer, video, search } = config
  const found: Diagnosis[] = []
  if (browser.enabled) found.push(programs('browser', await browserProblem(cells), text))
  if (computer.enabled)
    found.push(programs('computer', await desktopProblem({ programs: computer.programs, cells }), text))
  if (video.enabled && video.apiKey === '')
    found.push({
      check: 'video',
      ok: false,
      detail: text('doctor.video.key'),
      fix: text('doctor.video.key.fix'),
    })
  if (search.sources.length === 0)
    found.push({
      ...{ check: 'search', ok: true, unseen: true },
      detail: text(search.keyless ? 'doctor.search.public' : 'doctor.search.none'),
    })
  return found
}

function programs(check: string, lack: Lack | undefined, text: Translate): Diagnosis {
  if (lack === undefined) return { check, ok: true, detail: text('doctor.tools.installed') }
  return { check, ok: false, detail: text(`lack.${lack.key}`, lack.params) }
}
