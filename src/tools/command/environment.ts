/** Which variables a call may add to a command's environment (S6). */
import { refused } from '../workspace-path.ts'

const MOST = 32
const LONGEST = 4_096

/** Names that make some program load code, change what it runs, or send its traffic elsewhere. */
const REFUSED: readonly RegExp[] = [
  /^(?:PATH|HOME|ENV|IFS|CDPATH|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|GLOBIGNORE|HOSTALIASES|GCONV_PATH)$/,
  /^(?:LD_|DYLD_|BASH_|PS\d$|MALLOC_|GLIBC_)/,
  /^(?:NODE_|NPM_|YARN_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|RUSTUP_|RUSTC|CARGO_|GO(?:FLAGS|ROOT|PROXY)$|JAVA_TOOL|_?JAVA_OPTIONS|JDK_JAVA|MAVEN_OPTS)/,
  /^(?:GIT_|SSH_|SVN_|PAGER$|MANPAGER$|EDITOR$|VISUAL$|BROWSER$|LESS)/,
  /_PROXY$/,
]

/** Rejects with `tool.refused` and the name of the first variable that is not allowed. */
export function vetEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(env)
  if (entries.length > MOST) throw refused(`env has ${entries.length} variables.`, `Set at most ${MOST}.`)
  for (const [name, value] of entries) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw refused(
        `"${name}" is not a variable name.`,
        'Use letters, digits and underscores, for example LANG.',
      )
    }
    if (REFUSED.some((pattern) => pattern.test(name.toUpperCase()))) {
      throw refused(
        `The variable ${name} may not be set.`,
        'It changes what programs load or run. Leave it out.',
      )
    }
    if (value.length > LONGEST || value.includes('\0')) {
      throw refused(
        `The value of ${name} is too long or holds a NUL.`,
        'Write it to a file and read it from there.',
      )
    }
  }
  return { ...env }
}
