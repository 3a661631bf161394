/** What the operator switched on, held against this machine: programs, a search source, a key. */
import { browserProblem } from '../../browser/browsers.ts'
import type { Config } from '../../config/schema.ts'
import { desktopProblem } from '../../desktop/desktops.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Clock } from '../../protocol/ports.ts'
import { type Cells, createCells, type Lack } from '../../sandbox/cell.ts'

/** Programs that the browser and the virtual desktop need, a search source, a key for videos. */
export async function checkTools(
  config: Config,
  clock: Clock,
  cells: Pick<Cells, 'problem'> = createCells(config.sandbox.user, clock),
): Promise<Diagnosis[]> {
  const { browser, computer, video, search } = config
  const found: Diagnosis[] = []
  if (browser.enabled) found.push(programs('browser', await browserProblem(cells)))
  if (computer.enabled)
    found.push(programs('computer', await desktopProblem({ programs: computer.programs, cells })))
  if (video.enabled && video.apiKey === '')
    found.push({
      check: 'video',
      ok: false,
      detail: 'video.apiKey is missing',
      fix: 'Write it into video.apiKey.',
    })
  if (search.sources.length === 0)
    found.push({
      ...{ check: 'search', ok: true, unseen: true },
      detail: search.keyless
        ? 'no search.sources: the public result pages of Bing and DuckDuckGo are read, which may fail'
        : 'no search.sources and keyless is off: web_search has nowhere to ask',
    })
  return found
}

function programs(check: string, lack: Lack | undefined): Diagnosis {
  if (lack === undefined) return { check, ok: true, detail: 'its programs are installed' }
  const [detail, fix] = lack.message.split(/(?:Install(?: it| them)?: )/)
  return { check, ok: false, detail: detail?.trim() ?? '', ...(fix === undefined ? {} : { fix }) }
}
