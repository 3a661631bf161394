/**
 * WeCom marks a mention only by text: "@" and the bot's display name, anywhere in the message. Pure
 * functions that take exactly our own mention out, and a memory that learns our name from messages.
 */

/** ASCII and full-width at sign. A mention never follows a character of an address or a path. */
const AT = '[@＠]'
const NOT_IN_ADDRESS = '(?<![A-Za-z0-9._%+/-])'
/** The client ends a mention with U+2005; people type spaces. */
const GAP = '[\\u2005\\u00a0 \\t]'
/** After a name: its gap, the end, a line break, or punctuation; never more letters of another name. */
const AFTER = `(?:${GAP}|(?=$|[\\r\\n,，。.!！?？:：;；、/@＠]))`

interface Stripped {
  readonly text: string
  readonly found: boolean
}

/** Removes every mention of one of `names`. Other mentions, addresses and links stay as they are. */
export function stripMention(text: string, names: readonly string[]): Stripped {
  let found = false
  let rest = text
  for (const name of [...names].sort((a, b) => b.length - a.length)) {
    const pattern = new RegExp(`${NOT_IN_ADDRESS}(${GAP}?)${AT}${escapePattern(name)}${AFTER}`, 'gimu')
    rest = rest.replace(pattern, (_whole, before: string, offset: number) => {
      found = true
      return before !== '' && offset > 0 ? ' ' : ''
    })
  }
  return { text: tidy(found ? rest : text), found }
}

/**
 * Removes the only mention of a group message when our name is not known yet: WeCom delivers group
 * messages only when we are mentioned, so a sole mention is ours. Several are left alone.
 */
export function stripSoleMention(text: string): Stripped {
  const candidates = mentionTails(text)
  const [tail] = candidates
  if (candidates.length !== 1 || tail === undefined) return { text: tidy(text), found: false }
  const name = nameOf(tail)
  return name === '' ? { text: tidy(text), found: false } : stripMention(text, [name])
}

/** Learns the bot's display name; one per bot, bounded. */
export interface NameMemory {
  /** Names to strip, best first. */
  known(): readonly string[]
  /** Shows a group message that was delivered to us, as it came. */
  observe(text: string): void
}

export function createNameMemory(configured: string | undefined): NameMemory {
  let learned: string | undefined
  let previous: string | undefined
  return {
    known: () => [configured, learned].flatMap((name) => (name ? [name] : [])),
    observe: (text) => {
      const tails = mentionTails(text)
      const [tail] = tails
      if (configured !== undefined || tails.length !== 1 || tail === undefined) return
      const delimited = /^([^\u2005\r\n]{1,64})\u2005/u.exec(tail)?.[1]
      learned = delimited ?? commonName(previous, tail) ?? learned
      previous = tail
    },
  }
}

/** The text behind each at sign that can begin a mention. */
function mentionTails(text: string): string[] {
  const starts = [...text.matchAll(new RegExp(`${NOT_IN_ADDRESS}${AT}(?=\\S)`, 'gu'))]
  return starts.map((match) => text.slice(match.index + 1))
}

function nameOf(tail: string): string {
  const delimited = /^([^\u2005\r\n]{1,64})\u2005/u.exec(tail)?.[1]
  return delimited ?? /^[^\s\u2005,，。!！?？:：;；、/@＠]{1,64}/u.exec(tail)?.[0] ?? ''
}

/** Two different messages agree on whole words at least as far as the name goes. */
function commonName(a: string | undefined, b: string): string | undefined {
  if (a === undefined || a === b) return undefined
  const words = b.split(/\s+/)
  const other = a.split(/\s+/)
  const same = words.findIndex((word, index) => word !== other[index])
  const name = words.slice(0, same === -1 ? words.length : same).join(' ')
  return name === '' ? undefined : name
}

function tidy(text: string): string {
  return text.replaceAll('\u2005', ' ').trim()
}

function escapePattern(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
