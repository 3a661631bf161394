/** Git is many programs: some only look, some rewrite history, and many options start something else. */

const HAZARD =
  /^(-c|--config-env|--exec-path|--git-dir|--work-tree|--namespace|--super-prefix|-p|--paginate|--upload-pack|--receive-pack|-u|--exec|-x|--ext-diff|--textconv|-O|--open-files-in-pager|--output|-o|--template|--separate-git-dir|--recurse-submodules|--extcmd|--tool|-C)(=|$)/
const ATTACHED_HAZARD = /^(-c.|-O.|-C.|--exec=|ext::|.*::)/
const NETWORK = /^(clone|fetch|pull|push|ls-remote|remote|submodule|archive|request-pull|send-email|svn|lfs)$/
const LAUNCHES =
  /^(bisect|rebase|filter-branch|filter-repo|difftool|mergetool|submodule|daemon|instaweb|gui|citool|shell|config|hook|alias|help|web--browse|worktree|maintenance|send-email|commit|merge|am|cherry-pick|revert|checkout|switch|push|pull|lfs|gc|stash)$/

export interface GitReading {
  readonly subcommand: string
  /** An option or a subcommand with which git starts other programs. */
  readonly launches: string | undefined
  readonly network: boolean
  /** Rewrites or throws away commits or changes. */
  readonly rewrites: boolean
}

/** Reads the words after `git`. */
export function readGit(args: readonly string[]): GitReading {
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const subcommand = at < 0 ? '' : (args[at] ?? '')
  const rest = args.slice(at + 1)
  const option = args.find((arg) => HAZARD.test(arg) || ATTACHED_HAZARD.test(arg))
  return {
    subcommand,
    launches: option ?? (LAUNCHES.test(subcommand) ? subcommand : undefined),
    network: NETWORK.test(subcommand),
    rewrites: rewrites(subcommand, rest),
  }
}

function rewrites(subcommand: string, rest: readonly string[]): boolean {
  const has = (...options: string[]): boolean => rest.some((arg) => options.includes(arg.split('=')[0] ?? ''))
  switch (subcommand) {
    case 'rebase':
    case 'filter-branch':
    case 'filter-repo':
    case 'replace':
      return true
    case 'push':
      return (
        has('-f', '--force', '--force-with-lease', '--delete', '--mirror', '-d') ||
        rest.some((arg) => /^[+:]./.test(arg))
      )
    case 'reset':
      return has('--hard', '--merge', '--keep')
    case 'commit':
      return has('--amend')
    case 'branch':
    case 'tag':
      return has('-D', '-d', '--delete', '-f', '--force')
    case 'clean':
      return !has('-n', '--dry-run')
    case 'reflog':
      return rest[0] === 'expire' || rest[0] === 'delete'
    case 'stash':
      return rest[0] === 'drop' || rest[0] === 'clear'
    case 'checkout':
    case 'restore':
      return has('-f', '--force', '--') || subcommand === 'restore'
    default:
      return false
  }
}
