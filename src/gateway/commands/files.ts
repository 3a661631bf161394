import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { prepareFolders } from '../../session/workspace.ts'
import type { Command } from './command.ts'

const MOST_SHOWN = 30
const MOST_SEEN = 2_000

/** The newest files of the session's workspace. */
export const files: Command = async ({ deps, session, text }) => {
  const { workspace } = prepareFolders(deps.dataDir, session.id)
  const found = await listFiles(workspace)
  if (found.length === 0) return { markdown: text('command.files_none') }
  const shown = found.slice(0, MOST_SHOWN).map((file) => `- \`${file.path}\` ${formatBytes(file.bytes)}`)
  return {
    markdown: `${text('command.files', { count: found.length, shown: shown.length })}\n${shown.join('\n')}`,
  }
}

async function listFiles(root: string): Promise<{ path: string; bytes: number; changed: number }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).slice(0, MOST_SEEN)
  const found = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      // A command at work may take a file away between the listing and this look.
      const info = await stat(path).catch(() => undefined)
      return info && { path: relative(root, path), bytes: info.size, changed: info.mtimeMs }
    }),
  )
  return found.filter((file) => file !== undefined).sort((a, b) => b.changed - a.changed)
}

function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`
  return `${(bytes / 1_048_576).toFixed(1)} MB`
}
