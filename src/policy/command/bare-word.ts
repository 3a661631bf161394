/** How bash reads the simplest words. Anything this file does not understand is not a literal word. */

/** Unquoted characters without meaning to the shell, and a backslash before a visible ASCII character. */
const BARE = /^(?:[A-Za-z0-9_@%+=:,./^-]|[^\u0000-\u00A0]|\\[\u0020-\u007E])*$/u
const DOUBLE_QUOTED = /^(?:[^"\\$`]|\\[^\n])*$/

/** Text of an unquoted word without its backslashes; undefined when something would expand. */
export function readBare(text: string): string | undefined {
  return BARE.test(text) ? text.replace(/\\(.)/gu, '$1') : undefined
}

/** Inside of double quotes as bash hands it to a program; undefined when something would expand. */
export function readDoubleQuoted(inside: string): string | undefined {
  return DOUBLE_QUOTED.test(inside) ? inside.replace(/\\([\\"$`])/g, '$1') : undefined
}
