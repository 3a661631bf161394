/** Projects of a workspace: the workspace itself and its top folders. Also where a path inside it really is. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { refusal } from './errors.ts'

export interface Project {
  /** `.` or the folder's name. */
  readonly id: string
  readonly name: string
  /** Relative to the workspace. */
  readonly path: string
}

const MOST = 200

/** Sorted by name, hidden folders left out; `more` says how many there are beyond the first 200. */
export async function listProjects(workspace: string): Promise<{ projects: Project[]; more: number }> {
  const entries = await readdir(workspace, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()
  const folders = names.slice(0, MOST).map((name) => ({ id: name, name, path: name }))
  return {
    projects: [{ id: '.', name: '.', path: '.' }, ...folders],
    more: Math.max(0, names.length - MOST),
  }
}

/** A folder of the workspace by its relative name. Rejects with `workbench.folder_outside`, `…_not_found`. */
export async function relativeFolder(
  workspace: string,
  name: string,
): Promise<{ readonly path: string; readonly name: string }> {
  const outside = refusal(
    'folder_outside',
    `"${name}" is outside the workspace.`,
    'Name a folder relative to the workspace, for example "src".',
  )
  if (name.includes('\0') || !isInside(workspace, resolve(workspace, name))) throw outside
  const path = await realpath(join(workspace, relative(workspace, resolve(workspace, name)))).catch(
    () => undefined,
  )
  if (path !== undefined && !isInside(workspace, path)) throw outside
  if (path === undefined || !(await stat(path)).isDirectory())
    throw refusal(
      'folder_not_found',
      `"${name}" is no folder of the workspace.`,
      'Use list_directory or glob.',
    )
  return { path, name: relative(workspace, path) || '.' }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
