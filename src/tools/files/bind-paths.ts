/** Binds a call to the real paths it names, so that path rules judge the file and not its spelling. */
import type { BoundCall } from '../../protocol/tool.ts'
import { existingPath, lexicalPath } from '../workspace-path.ts'

/** `output:` names and names of files that do not exist yet have no real path; the latter keep their spelling. */
export async function bindPaths(
  tool: string,
  args: unknown,
  workspace: string,
  names: readonly string[],
): Promise<BoundCall> {
  const files = names.filter((name) => !name.startsWith('output:'))
  const paths = await Promise.all(
    files.map((name) => existingPath(workspace, name).catch(() => lexicalPath(workspace, name))),
  )
  return { tool, args, paths }
}
