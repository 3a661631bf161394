/** Where skills are looked for: known folders of the service's own home, and those the operator names. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** `~/.yizhan` and `~/.claude` hold skills, commands and agents; Codex only skills. */
const KNOWN = [
  ['.yizhan', 'skills'],
  ['.yizhan', 'commands'],
  ['.yizhan', 'agents'],
  ['.claude', 'skills'],
  ['.claude', 'commands'],
  ['.claude', 'agents'],
  ['.codex', 'skills'],
  ['.codex', 'skills', '.system'],
] as const

const installedPlugins = z.looseObject({
  plugins: z.record(
    z.string(),
    z.union([
      z.looseObject({ installPath: z.string() }),
      z.array(z.looseObject({ installPath: z.string() })),
    ]),
  ),
})

/**
 * Folders in order; of two skills of one name the first wins.
 * @param home absolute path; undefined for an account without one, which has only the folders of the settings
 */
export function skillFolders(
  home: string | undefined,
  settings: { readonly folders: readonly string[]; readonly discover: boolean },
): readonly string[] {
  const named = settings.folders.map((folder) => resolve(folder.replace(/^~(?=\/|$)/, home ?? '~')))
  if (!settings.discover || home === undefined) return named
  return [...named, ...KNOWN.map((parts) => join(home, ...parts)), ...pluginFolders(home)]
}

/** Plugins of Claude Code, by its own list of what is installed. */
function pluginFolders(home: string): string[] {
  const list = installedPlugins.safeParse(
    readJson(join(home, '.claude', 'plugins', 'installed_plugins.json')),
  )
  if (!list.success) return []
  const paths = Object.values(list.data.plugins)
    .flat()
    .map((plugin) => plugin.installPath)
  return paths.flatMap((path) => ['commands', 'agents', 'skills'].map((kind) => join(path, kind)))
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // No plugins, or a list of another form: there is nothing to find.
    return undefined
  }
}
