/**
 * Catches a frequent mistake: a git command that writes to another repository than the one that contains the call's
 * `cwd`. This is a convenience; confinement is the sandbox's task.
 */
import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isInside, refused } from '../workspace-path.ts'

const WRITES = /^(?:commit|push|tag|merge|rebase|reset|clean|cherry-pick|revert|am|apply)$/

/** Rejects with `tool.refused` when `command` would write to a repository other than that of `cwd`. */
export async function guardRepositories(command: string, cwd: string, workspace: string): Promise<void> {
  const elsewhere = gitWrites(command, cwd).filter(({ folder }) => folder !== cwd)
  if (elsewhere.length === 0) return
  const home = await repositoryOf(cwd, workspace)
  for (const { folder, verb } of elsewhere) {
    const root = isInside(workspace, folder) ? await repositoryOf(folder, workspace) : folder
    if (root === home) continue
    throw refused(
      `"git ${verb}" would write to another repository than that of the working directory.`,
      'Set cwd to that repository, so that the person who approves sees it.',
    )
  }
}

interface GitWrite {
  readonly folder: string
  readonly verb: string
}

/** Git commands that write, with the folder they run in after `cd` and `-C`. */
function gitWrites(command: string, cwd: string): GitWrite[] {
  const found: GitWrite[] = []
  let folder = cwd
  for (const part of command.split(/&&|\|\||[;|&\n()]/)) {
    const words = (part.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
      word.replace(/^(['"])(.*)\1$/, '$2'),
    )
    if (words[0] === 'cd') folder = resolve(folder, words[1] ?? cwd)
    const git = words.findIndex((word) => word === 'git' || word.endsWith('/git'))
    if (git === -1) continue
    const { at, verb } = gitCall(words.slice(git + 1), folder)
    if (verb !== undefined && WRITES.test(verb)) found.push({ folder: at, verb })
  }
  return found
}

/** Reads git's own options up to the subcommand. */
function gitCall(words: readonly string[], folder: string): { at: string; verb: string | undefined } {
  let at = folder
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const value = words[index + 1] ?? ''
    if (word === '-C') at = resolve(at, value)
    else if (word === '--git-dir' || word === '--work-tree')
      at = resolve(at, value, word === '--git-dir' ? '..' : '.')
    else if (/^--(?:git-dir|work-tree)=/.test(word)) at = resolve(at, word.slice(word.indexOf('=') + 1))
    else if (!word.startsWith('-')) return { at, verb: word }
    if (/^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/.test(word)) index++
  }
  return { at, verb: undefined }
}

/** Nearest folder at or above `path`, inside the workspace, that holds a `.git`. */
async function repositoryOf(path: string, workspace: string): Promise<string | undefined> {
  for (let folder = path; isInside(workspace, folder); folder = dirname(folder)) {
    if (await lstat(join(folder, '.git')).catch(() => undefined)) return folder
  }
  return undefined
}
