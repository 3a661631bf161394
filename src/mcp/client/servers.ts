/**
 * All MCP servers of the service: found, connected side by side, and offered as tools. This room knows
 * what servers say; it refuses to know who may call them (policy), and it believes nothing they claim
 * about themselves. A server that misbehaves harms nobody but itself.
 */
import type { AnyTool } from '../../protocol/tool.ts'
import type { Discovery, Found } from './discovery.ts'
import type { ServerEntry } from './entry.ts'
import { SETTLE_MS } from './limits.ts'
import { createLink, type Link, type LinkDeps } from './link.ts'
import { remoteTool } from './remote-tool.ts'
import type { LinkState } from './supervisor.ts'
import { toolNames } from './tool-name.ts'

/** A server as people see it. */
export interface ServerView {
  readonly name: string
  readonly origin: string
  /** The exact start command or address. */
  readonly shown: string
  readonly state: LinkState | 'disabled' | 'invalid'
  /** Why it is not ready. */
  readonly why: string
  /** Names under which the model calls its tools. */
  readonly tools: readonly string[]
  /** Its own names of tools that wait for an administrator. */
  readonly waiting: readonly string[]
}

export interface McpServers {
  /** Looks for servers and begins to connect; does not wait for them. */
  start(): Promise<void>
  /** Looks for changed files, then waits for servers that are still connecting, 2 s at most. Never rejects. */
  settle(): Promise<void>
  /** The same objects as long as the definitions are the same. */
  tools(): readonly AnyTool[]
  /** Why a tool of ours cannot be used right now; undefined when it can, or is not of this room. */
  problem(tool: AnyTool): string | undefined
  list(): readonly ServerView[]
  /** Files that could not be read. */
  problems(): Found['problems']
  /** Undefined when there is no such server, or it is not in use. */
  link(name: string): Link | undefined
  stop(): Promise<void>
}

export interface McpServersDeps extends Omit<LinkDeps, 'onChange' | 'onWithdrawn'> {
  readonly discovery: Discovery
  /** Tools of ours, by name, that were agreed to and are so no longer. */
  readonly onWithdrawn: (tools: readonly string[]) => void
}

const LOOK_EVERY_MS = 5_000

export function createMcpServers(deps: McpServersDeps): McpServers {
  const links = new Map<string, Link>()
  const made = new Map<string, { readonly link: Link; readonly digest: string; readonly tool: AnyTool }>()
  let found: Found = { entries: [], problems: [] }
  let looking: Promise<void> | undefined
  let cancelTimer = (): void => {}
  let isStopped = false

  const open = (entry: ServerEntry): void => {
    const link = createLink(entry, {
      ...deps,
      onChange: () => {},
      onWithdrawn: (tools) => {
        const names = namesOf(link)
        deps.onWithdrawn(tools.flatMap((tool) => names.get(tool) ?? []))
      },
    })
    links.set(entry.name, link)
    link.start().catch((error: unknown) => deps.logger.error({ error }, 'an MCP server could not be started'))
  }
  const look = async (): Promise<void> => {
    const now = await deps.discovery.look()
    if (now === found || isStopped) return
    found = now
    for (const { file, problem } of now.problems)
      deps.logger.warn({ file, problem }, 'MCP servers of a file are not used')
    const wanted = new Map(now.entries.filter(isUsable).map((entry) => [entry.name, entry]))
    const gone = [...links.values()].filter((link) => !sameEntry(wanted.get(link.entry.name), link.entry))
    for (const link of gone) links.delete(link.entry.name)
    await Promise.all(gone.map((link) => link.stop()))
    for (const entry of wanted.values()) if (!links.has(entry.name)) open(entry)
  }
  const lookOnce = (): Promise<void> => {
    looking ??= look()
      .catch((error: unknown) => deps.logger.warn({ error }, 'MCP servers could not be looked for'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const lookLater = (): void => {
    cancelTimer = deps.clock.after(LOOK_EVERY_MS, () => void lookOnce().then(() => !isStopped && lookLater()))
  }
  const toolsOf = (link: Link): readonly AnyTool[] => {
    const names = namesOf(link)
    return link.agreement.agreed.map((agreed) => {
      const name = names.get(agreed.tool) ?? agreed.tool
      const known = made.get(name)
      if (known?.link === link && known.digest === agreed.digest) return known.tool
      const tool = remoteTool(name, link, agreed)
      made.set(name, { link, digest: agreed.digest, tool })
      return tool
    })
  }
  const inOrder = (): readonly Link[] =>
    [...links.values()].sort((a, b) => (a.entry.name < b.entry.name ? -1 : 1))

  return {
    start: async () => {
      await lookOnce()
      lookLater()
    },
    settle: async () => {
      await lookOnce()
      const connecting = inOrder().filter(
        (link) => link.state === 'connecting' && link.agreement.agreed.length === 0,
      )
      if (connecting.length === 0) return
      const late = Promise.withResolvers<void>()
      const cancel = deps.clock.after(SETTLE_MS, late.resolve)
      await Promise.race([Promise.all(connecting.map((link) => link.settled())), late.promise])
      cancel()
    },
    tools: () => inOrder().flatMap(toolsOf),
    problem: (tool) => {
      const link = made.get(tool.name)?.link
      return link === undefined || link.state === 'ready' ? undefined : `${link.state}: ${link.why}`
    },
    list: () => found.entries.map((entry) => viewOf(entry, links.get(entry.name))),
    problems: () => found.problems,
    link: (name) => links.get(name),
    stop: async () => {
      isStopped = true
      cancelTimer()
      await looking
      await Promise.all([...links.values()].map((link) => link.stop()))
    },
  }
}

function isUsable(entry: ServerEntry): boolean {
  return !entry.disabled && entry.target !== undefined
}

function sameEntry(a: ServerEntry | undefined, b: ServerEntry): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b)
}

function namesOf(link: Link): ReadonlyMap<string, string> {
  const { agreed, waiting } = link.agreement
  return toolNames(link.entry.name, [...agreed.map((one) => one.tool), ...waiting])
}

function viewOf(entry: ServerEntry, link: Link | undefined): ServerView {
  const { name, origin, shown } = entry
  const base = { name, origin, shown, tools: [], waiting: [] }
  if (entry.disabled) return { ...base, state: 'disabled', why: '' }
  if (!link) return { ...base, state: 'invalid', why: entry.problem ?? '' }
  const names = namesOf(link)
  return {
    ...base,
    state: link.state,
    why: link.why,
    tools: link.agreement.agreed.map((agreed) => names.get(agreed.tool) ?? agreed.tool),
    waiting: link.agreement.waiting,
  }
}
