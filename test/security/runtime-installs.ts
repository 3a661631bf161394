/** Ways in which a running service could bring in code that was not there when it was released. */

const MANAGERS = 'npm|npx|pnpm|yarn|bunx?|pipx?|pip3|uvx?|cargo|apt(?:-get)?|apk|dnf|gem|go'

export const DEEDS: readonly RegExp[] = [
  // A package manager as the program of a process, plain or by its path.
  new RegExp(
    `\\b(?:spawn|exec|execFile|fork|run)\\w*\\(\\s*\\[?\\s*['"\`](?:[\\w/.-]*/)?(?:${MANAGERS})['"\`]`,
  ),
  // A module whose name is made at run time.
  /\bimport\(\s*(?!['"])/,
  /(?<![.\w])require\(\s*(?!['"]|`[a-z@])/,
  /\bnew Function\(/,
  /(?<![.\w])eval\(/,
]
