/** The text of a call that people must read before deciding, cut to the bytes that a card's code block holds. */
import { createHash } from 'node:crypto'
import { showText } from '../policy/command/visible-text.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ShownCall } from './request.ts'
import { maskSecrets } from './secret-mask.ts'
import { showArguments } from './shown-arguments.ts'

/** Longest list of variables in a field; characters. */
const MAX_FIELD_CHARS = 300

export interface Shown {
  /** For a `code` block. */
  readonly code: string
  /** Sentences about what is not shown as it is: cut, masked. */
  readonly notes: readonly string[]
  /** The whole text, when the card holds only its head and tail. */
  readonly attachment?: string
}

/**
 * Shows a command, or the arguments of any other tool, in at most `maxBytes` of UTF-8.
 * @param target what the call acts on, as people see it
 */
export function showCall(
  call: ShownCall,
  text: Translate,
  maxBytes: number,
  target: string | null = null,
): Shown {
  const environment = environmentText(call)
  const body = call.command ?? showArguments(call.args, text, target)
  const original =
    environment.length > MAX_FIELD_CHARS
      ? `${body}\n\n${text('approval.card.env.listed')}:\n${environment}`
      : body
  const { text: masked, masked: count } = maskSecrets(original)
  const shown = showText(masked)
  const notes = count > 0 ? [text('approval.card.masked', { count })] : []
  const bytes = Buffer.byteLength(shown)
  if (bytes <= maxBytes) return { code: shown, notes }
  const sha256 = createHash('sha256').update(original).digest('hex').slice(0, 16)
  const room = Math.max(0, maxBytes - 64)
  const head = headBytes(shown, Math.floor((room * 2) / 3))
  const tail = tailBytes(shown, Math.floor(room / 3))
  const left = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return {
    code: `${head}\n… ${left} bytes …\n${tail}`,
    notes: [text('approval.card.cut', { bytes: Buffer.byteLength(original), left, sha256 }), ...notes],
    attachment: shown,
  }
}

/** Variables for a field of the card; a long list stands in the code block below the command instead. */
export function shownEnvironment(call: ShownCall, text: Translate): string | undefined {
  const environment = environmentText(call)
  if (environment === '') return undefined
  if (environment.length > MAX_FIELD_CHARS) return text('approval.card.env.above')
  return showText(maskSecrets(environment).text)
}

function environmentText(call: ShownCall): string {
  return Object.entries(call.env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

function headBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true })
}

function tailBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  let start = buffer.length - bytes
  // A continuation byte (10xxxxxx) is never the first of a code point.
  while (start < buffer.length && ((buffer[start] ?? 0) & 0xc0) === 0x80) start++
  return buffer.subarray(start).toString()
}
