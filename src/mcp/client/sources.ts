/** The files in which people already describe their MCP servers, each in its own format. Pure: text in, entries out. */
import { z } from 'zod'

/** Entries by name, raw. */
export type RawServers = Readonly<Record<string, unknown>>

const servers = z.record(z.string(), z.unknown()).default({})
const mcpFile = z.looseObject({ mcpServers: servers })
const claudeFile = z.looseObject({
  mcpServers: servers,
  projects: z.record(z.string(), z.looseObject({ mcpServers: servers })).default({}),
})
const codexFile = z.looseObject({ mcp_servers: servers })

/** `.mcp.json` of a project, `{ "mcpServers": { … } }`. */
export function readProjectFile(text: string): RawServers {
  return mcpFile.parse(JSON.parse(text)).mcpServers
}

/** `~/.claude.json`: entries of this project first, then those of the user. */
export function readClaudeFile(text: string, project: string): readonly RawServers[] {
  const file = claudeFile.parse(JSON.parse(text))
  return [file.projects[project]?.mcpServers ?? {}, file.mcpServers]
}

/** `~/.codex/config.toml`: tables `[mcp_servers.NAME]`. */
export async function readCodexFile(text: string): Promise<RawServers> {
  const { parse } = await import('smol-toml')
  return codexFile.parse(parse(text)).mcp_servers
}

const install = z.looseObject({ installPath: z.string() })
const installed = z.looseObject({
  plugins: z.record(z.string(), z.union([install.transform((one) => [one]), z.array(install)])).default({}),
})
const settings = z.looseObject({ enabledPlugins: z.record(z.string(), z.unknown()).default({}) })

export interface Plugin {
  /** Name without its marketplace. */
  readonly name: string
  readonly folder: string
}

/** Plugins of `installed_plugins.json` that `settings.json` does not switch off, by name. */
export function readPlugins(text: string, settingsText: string | undefined): readonly Plugin[] {
  const { plugins } = installed.parse(JSON.parse(text))
  const { enabledPlugins } = settings.parse(JSON.parse(settingsText ?? '{}'))
  return Object.entries(plugins)
    .filter(([id]) => enabledPlugins[id] !== false)
    .flatMap(([id, copies]) =>
      copies.slice(0, 1).map((copy) => ({ name: id.split('@')[0] ?? id, folder: copy.installPath })),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A plugin's `.mcp.json`: with or without the `mcpServers` around its entries. */
export function readPluginFile(text: string): RawServers {
  const value = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  return 'mcpServers' in value ? servers.parse(value['mcpServers']) : value
}

const manifest = z.looseObject({
  mcpServers: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
})

/** `mcpServers` of a plugin's manifest: entries, or the path of a file with them. */
export function readPluginManifest(text: string): RawServers | string | undefined {
  return manifest.parse(JSON.parse(text)).mcpServers
}
