/** A finding as it stands on the terminal. */
import type { Diagnosis } from '../../protocol/adapter.ts'
import type { Translate } from '../../protocol/ports.ts'

const WIDTH = 24
const ALONE = new Set([
  ...['configuration', 'node', 'sandbox', 'pages', 'browser', 'computer', 'video', 'search'],
  ...['admins', 'calendar', 'port', 'data', 'redis', 'database'],
])
const LEADING = new Set(['model', 'schedule', 'running'])
/** Parts of the running service; the others are bots. */
const PARTS = new Set(['loop', 'threads', 'store', 'sandbox', 'service', 'readiness'])
const TRAILING = new Set(['heard', 'settings'])

export function formatFinding({ check, ok, unseen, detail, fix, link }: Diagnosis, text: Translate): string {
  const more = link !== undefined && !fix?.includes(link) ? `\n      ${link}` : ''
  const told = detail.replace(/\n(?! )/g, '\n    ')
  const remedy = ok || fix === undefined || fix === '' ? '' : `\n    → ${fix}`
  const mark = unseen ? '?' : ok ? '✓' : '✗'
  return `${mark} ${padded(headingOf(check, text))} ${told}${remedy}${ok ? '' : more}\n`
}

/** The name of a check in words; what an adapter names is in words already. */
export function headingOf(check: string, text: Translate): string {
  if (ALONE.has(check)) return text(`doctor.name.${check}`)
  const parts = check.split(':')
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (first === 'running' && PARTS.has(last))
    return text('doctor.name.running', { id: text(`doctor.part.${last}`) })
  if (LEADING.has(first)) return text(`doctor.name.${first}`, { id: parts.slice(1).join(':') })
  if (TRAILING.has(last)) return text(`doctor.name.${last}`, { id: parts.slice(0, -1).join(':') })
  return check
}

/** Chinese signs take two columns. */
function padded(words: string): string {
  const wide = words.match(/[\u2e80-\uffef]/g)?.length ?? 0
  return words + ' '.repeat(Math.max(0, WIDTH - words.length - wide))
}
