/** Addresses that carry data out: what a model composes after it has read other people's words (N8). */
import type { LogEntry } from '../protocol/session-log.ts'

const LONG_SEGMENT = 40
const LONG_LABEL = 30

/**
 * True when the model made this address up, to a host that no person in the chat named, with room for
 * data in it: a query, a long piece of path or a long name. An address that stands word for word in
 * the conversation is not made up: whoever wrote it there could not know what the model would add.
 */
export function isComposed(address: string, entries: readonly LogEntry[]): boolean {
  const url = URL.parse(address)
  if (!url || !hasRoom(url)) return false
  const written = [address, url.href, url.href.replace(/\/$/, '')]
  return !entries.some((entry) => {
    const typed = typedText(entry).toLowerCase()
    const texts = `${typed}\n${readText(entry)}`.replaceAll('&amp;', '&')
    return namesHost(typed, url.hostname) || written.some((form) => texts.includes(form))
  })
}

function hasRoom(url: URL): boolean {
  return (
    url.search !== '' ||
    url.pathname.split('/').some((segment) => segment.length > LONG_SEGMENT) ||
    url.hostname.split('.').some((label) => label.length > LONG_LABEL)
  )
}

/** The host as a whole name: `example.com` does not name `evil-example.com` or `x.example.com`. */
function namesHost(text: string, host: string): boolean {
  for (let at = text.indexOf(host); at >= 0; at = text.indexOf(host, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + host.length] ?? ' '}`
    if (!/^[a-z0-9.-]|[a-z0-9-]$/.test(around)) return true
  }
  return false
}

function typedText(entry: LogEntry): string {
  return entry.type === 'user' ? entry.messages.map((message) => message.text).join('\n') : ''
}

function readText(entry: LogEntry): string {
  if (entry.type === 'result' || entry.type === 'summary') return entry.text
  if (entry.type !== 'user') return ''
  const texts = entry.messages.flatMap((message) => [message.text, ...message.context.map((one) => one.text)])
  return texts.join('\n')
}
