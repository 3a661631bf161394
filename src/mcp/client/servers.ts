/**
 * All MCP servers of the service: found, connected side by side, and offered as tools. This room knows
 * what servers say; it refuses to know who may call them (policy), and it believes nothing they claim
 * about themselves. A server that misbehaves harms nobody but itself.
 */

import { withTimeout } from '../../protocol/timeout.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import type { Definition } from './definition.ts'
import type { Discovery, Found } from './discovery.ts'
import type { ServerEntry } from './entry.ts'
import { SETTLE_MS } from './limits.ts'
import { createLink, type Link, type LinkDeps } from './link.ts'
import { createPatience } from './patience.ts'
import type { Change } from './pins.ts'
import { remoteTool } from './remote-tool.ts'
import { createRoster } from './roster.ts'
import type { LinkState } from './supervisor.ts'
import { toolNames } from './tool-name.ts'
import type { Trouble } from './trouble.ts'

/** A server as people see it. */
export interface ServerView {
  readonly name: string
  readonly origin: string
  /** The exact start command or address. */
  readonly shown: string
  readonly state: LinkState | 'disabled' | 'invalid'
  /** Why it is not ready, in the words of whoever failed, and its kind. */
  readonly why: string
  readonly trouble: Trouble
  /** Names under which the model calls its tools. */
  readonly tools: readonly string[]
  /** Its own names of tools that wait for an administrator. */
  readonly waiting: readonly string[]
  /** What it says about its tools: those in use by the model's name, and the changes that wait. */
  readonly definitions: ReadonlyMap<string, Definition>
  readonly changes: readonly Change[]
}

/** The servers of the service, whatever their state; a broken one is listed, never an exception. */
export interface McpServers {
  /** Looks for servers and begins to connect; does not wait for them. */
  start(): Promise<void>
  /**
   * Looks for changed files and waits for servers that are still connecting and whose tools nobody knows: 1.5 s at most
   * in all, and for each server once. Tools that come later are there for the next turn. Never rejects.
   */
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
  /** Called with the name of a server whose state or tools are not what they were; the result ends it. */
  onChange(listener: (name: string) => void): () => void
  stop(): Promise<void>
}

export interface McpServersDeps extends Omit<LinkDeps, 'onChange' | 'onWithdrawn'> {
  readonly discovery: Discovery
  /** Tools of ours, by name, that were agreed to and are so no longer. */
  readonly onWithdrawn: (tools: readonly string[]) => void
}

interface Made {
  readonly link: Link
  readonly digest: string
  readonly tool: AnyTool
}

/** Connects to nothing before {@link McpServers.start}. */
export function createMcpServers(deps: McpServersDeps): McpServers {
  const made = new Map<string, Made>()
  const listeners = new Set<(name: string) => void>()
  const patience = createPatience(deps.clock)
  const roster = createRoster({
    ...deps,
    open: (entry) => {
      const link = createLink(entry, {
        ...deps,
        onChange: () => {
          for (const listener of listeners) listener(entry.name)
        },
        onWithdrawn: (tools) => {
          const names = namesOf(link)
          deps.onWithdrawn(tools.flatMap((tool) => names.get(tool) ?? []))
        },
      })
      return link
    },
  })
  return {
    start: roster.start,
    stop: roster.stop,
    settle: async () => {
      const asked = deps.clock.monotonic()
      const settled = roster.look().then(() => patience.wait(roster.links(), asked))
      await withTimeout(settled, { ms: SETTLE_MS, clock: deps.clock })
    },
    tools: () => roster.links().flatMap((link) => toolsOf(link, made)),
    problem: (tool) => {
      const link = made.get(tool.name)?.link
      return link === undefined || link.state === 'ready' ? undefined : `${link.state}: ${link.why}`
    },
    list: () => roster.found.entries.map((entry) => viewOf(entry, roster.link(entry.name))),
    problems: () => roster.found.problems,
    link: roster.link,
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function toolsOf(link: Link, made: Map<string, Made>): readonly AnyTool[] {
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

function namesOf(link: Link): ReadonlyMap<string, string> {
  const { agreed, changes } = link.agreement
  return toolNames(
    link.entry.name,
    [...agreed, ...changes].map((one) => one.tool),
  )
}

function viewOf(entry: ServerEntry, link: Link | undefined): ServerView {
  const { name, origin, shown } = entry
  const base = {
    ...{ name, origin, shown, tools: [], waiting: [], definitions: new Map(), changes: [] },
    trouble: 'entry' as const,
  }
  if (entry.disabled) return { ...base, state: 'disabled', why: '' }
  if (!link) return { ...base, state: 'invalid', why: entry.problem ?? '' }
  const names = namesOf(link)
  const { agreed, changes } = link.agreement
  const definitions = new Map(agreed.map((one) => [names.get(one.tool) ?? one.tool, one.definition]))
  return {
    ...base,
    ...{ state: link.state, why: link.why, trouble: link.trouble, definitions, changes },
    tools: [...definitions.keys()],
    waiting: changes.map((change) => change.tool),
  }
}
