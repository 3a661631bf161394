/** Keeps one link per configured server: starts new ones and stops those that are gone or were changed. */
import type { Clock, Logger } from '../../protocol/ports.ts'
import type { Discovery, Found } from './discovery.ts'
import type { ServerEntry } from './entry.ts'
import type { Link } from './link.ts'

export interface Roster {
  /** Looks now, then every few seconds. */
  start(): Promise<void>
  /** Looks now. Never rejects. */
  look(): Promise<void>
  readonly found: Found
  /** By name. */
  links(): readonly Link[]
  link(name: string): Link | undefined
  stop(): Promise<void>
}

export interface RosterDeps {
  readonly discovery: Discovery
  readonly clock: Clock
  readonly logger: Logger
  readonly open: (entry: ServerEntry) => Link
}

const LOOK_EVERY_MS = 5_000

export function createRoster(deps: RosterDeps): Roster {
  const { clock, logger } = deps
  const links = new Map<string, Link>()
  let found: Found = { entries: [], problems: [] }
  let looking: Promise<void> | undefined
  let cancelTimer = (): void => {}
  let isStopped = false

  const change = async (): Promise<void> => {
    const now = await deps.discovery.look()
    if (now === found || isStopped) return
    found = now
    for (const { file, problem } of now.problems) {
      logger.warn({ file, problem }, 'MCP servers of a file are not used')
    }
    await apply(links, now, deps)
  }
  const look = (): Promise<void> => {
    looking ??= change()
      .catch((error: unknown) => logger.warn({ error }, 'MCP servers could not be looked for'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const lookLater = (): void => {
    cancelTimer = clock.after(LOOK_EVERY_MS, () => void look().then(() => !isStopped && lookLater()))
  }
  return {
    look,
    start: async () => {
      await look()
      lookLater()
    },
    get found() {
      return found
    },
    links: () => [...links.values()].sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1)),
    link: (name) => links.get(name),
    stop: async () => {
      isStopped = true
      cancelTimer()
      await looking
      await Promise.all([...links.values()].map((link) => link.stop()))
    },
  }
}

/** Stops what is gone or described anew, starts what is new. Nobody waits for a connection. */
async function apply(links: Map<string, Link>, found: Found, deps: RosterDeps): Promise<void> {
  const usable = found.entries.filter((entry) => !entry.disabled && entry.target !== undefined)
  const wanted = new Map(usable.map((entry) => [entry.name, entry]))
  const gone = [...links.values()].filter(({ entry }) => !sameEntry(wanted.get(entry.name), entry))
  for (const { entry } of gone) links.delete(entry.name)
  await Promise.all(gone.map((link) => link.stop()))
  for (const entry of wanted.values()) {
    if (links.has(entry.name)) continue
    const link = deps.open(entry)
    links.set(entry.name, link)
    link.start().catch((error: unknown) => deps.logger.error({ error }, 'an MCP server could not be started'))
  }
}

function sameEntry(a: ServerEntry | undefined, b: ServerEntry): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b)
}
