/**
 * Finds the configured servers. The first source that has a name wins:
 *
 * 1. `mcp.servers` of yizhan.yaml
 * 2. `.mcp.json` beside yizhan.yaml
 * 3. `~/.claude.json`: entries of this project, then those of the user
 * 4. `~/.codex/config.toml`
 * 5. plugins of Claude Code, named `plugin_<plugin>_<server>`
 *
 * Files are looked at again whenever somebody asks, and read again when they have changed. Nothing in
 * a session's workspace is ever read (S7, I8).
 */
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readEntry, type ServerEntry } from './entry.ts'
import {
  type Plugin,
  type RawServers,
  readClaudeFile,
  readCodexFile,
  readPluginFile,
  readPluginManifest,
  readPlugins,
  readProjectFile,
} from './sources.ts'

/** Where files of other programs may name servers. */
export interface DiscoveryPlaces {
  /** Home of the account that the service runs as; undefined looks at no file of the account. */
  readonly home: string | undefined
  /** Folder of yizhan.yaml; undefined looks at no project file. */
  readonly project: string | undefined
  /** For `${NAME}` in these files. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export interface DiscoveryDeps {
  /** Entries of yizhan.yaml; their variables are filled in already. */
  readonly configured: readonly ServerEntry[]
  readonly places: DiscoveryPlaces
  /** Network of programs that files other than yizhan.yaml name. */
  readonly network: 'none' | 'host'
}

export interface Found {
  /** One per name, first source first. */
  readonly entries: readonly ServerEntry[]
  /** Files that are there and cannot be read, and why. */
  readonly problems: readonly { readonly file: string; readonly problem: string }[]
}

export interface Discovery {
  /** The same object as long as nothing has changed. */
  look(): Promise<Found>
}

const MAX_BYTES = 16 * 1024 * 1024

/** Reads files again only when one of them has changed; what cannot be read is a problem, never a rejection. */
export function createDiscovery(deps: DiscoveryDeps): Discovery {
  let known: { readonly stamp: string; readonly files: readonly string[]; readonly found: Found } | undefined
  return {
    look: async () => {
      if (known && known.stamp === (await stampOf(known.files))) return known.found
      const reader = createReader()
      const found = await read(deps, reader)
      known = { stamp: await stampOf(reader.files), files: reader.files, found }
      return found
    },
  }
}

interface Reader {
  /** Every file that was asked for, also those that are not there. */
  readonly files: string[]
  readonly problems: { file: string; problem: string }[]
  /** The parsed content; undefined when the file is not there or cannot be used. */
  parse<T>(file: string, parse: (text: string) => T | Promise<T>): Promise<T | undefined>
}

function createReader(): Reader {
  const files: string[] = []
  const problems: Reader['problems'] = []
  return {
    files,
    problems,
    parse: async (file, parse) => {
      files.push(file)
      const found = await stat(file).catch(() => undefined)
      if (!found?.isFile()) return undefined
      try {
        if (found.size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`)
        return await parse(await readFile(file, 'utf8'))
      } catch (error) {
        problems.push({
          file,
          problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
        })
        return undefined
      }
    },
  }
}

async function read(deps: DiscoveryDeps, reader: Reader): Promise<Found> {
  const { home, project, variables } = deps.places
  const entries = new Map(deps.configured.map((entry) => [entry.name, entry]))
  const add = (
    origin: string,
    servers: RawServers | undefined,
    more: Readonly<Record<string, string>> = {},
  ): void => {
    for (const [name, value] of Object.entries(servers ?? {})) {
      if (entries.has(name)) continue
      const source = { origin, network: deps.network, variables: { ...variables, ...more } }
      entries.set(name, readEntry(name, value, source))
    }
  }
  if (project !== undefined) {
    const file = join(project, '.mcp.json')
    add(file, await reader.parse(file, readProjectFile))
  }
  if (home !== undefined) {
    const claude = join(home, '.claude.json')
    for (const servers of (await reader.parse(claude, (text) => readClaudeFile(text, project ?? ''))) ?? [])
      add(claude, servers)
    const codex = join(home, '.codex', 'config.toml')
    add(codex, await reader.parse(codex, readCodexFile))
    for (const plugin of await pluginsOf(home, reader)) {
      for (const { file, servers } of await pluginServers(plugin, reader)) {
        const named = Object.entries(servers).map(([name, value]) => [`plugin_${plugin.name}_${name}`, value])
        add(file, Object.fromEntries(named), { CLAUDE_PLUGIN_ROOT: plugin.folder })
      }
    }
  }
  return { entries: [...entries.values()], problems: reader.problems }
}

async function pluginsOf(home: string, reader: Reader): Promise<readonly Plugin[]> {
  const folder = join(home, '.claude')
  const settings = await reader.parse(join(folder, 'settings.json'), (text) => text)
  return (
    (await reader.parse(join(folder, 'plugins', 'installed_plugins.json'), (text) =>
      readPlugins(text, settings),
    )) ?? []
  )
}

async function pluginServers(
  plugin: Plugin,
  reader: Reader,
): Promise<readonly { readonly file: string; readonly servers: RawServers }[]> {
  const manifestFile = join(plugin.folder, '.claude-plugin', 'plugin.json')
  const named = await reader.parse(manifestFile, readPluginManifest)
  const listFile =
    typeof named === 'string' ? resolve(plugin.folder, named) : join(plugin.folder, '.mcp.json')
  const listed = await reader.parse(listFile, readPluginFile)
  return [
    ...(named !== undefined && typeof named !== 'string' ? [{ file: manifestFile, servers: named }] : []),
    ...(listed === undefined ? [] : [{ file: listFile, servers: listed }]),
  ]
}

/** Changes whenever a file appears, disappears or is written. */
async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await stat(file).catch(() => undefined)
      return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : '-'
    }),
  )
  return stamps.join('|')
}
