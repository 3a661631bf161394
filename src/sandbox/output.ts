/**
 * Keeps the head and the tail of an endless stream of bytes in bounded memory and makes them readable:
 * no control codes, no half characters.
 */
import { TERMINAL_SEQUENCES } from './terminal-sequences.ts'

export interface OutputWindow {
  add(chunk: Buffer): void
  /** Bytes seen so far. */
  readonly total: number
  /** Readable text and how many bytes lie between its head and its tail. */
  read(): { readonly text: string; readonly omitted: number }
}

/** Keeps the first and the last `limit / 2` bytes. Memory: at most 1.5 × `limit` and the newest chunk. */
export function createOutputWindow(limit: number): OutputWindow {
  const half = Math.max(1, Math.floor(limit / 2))
  const head: Buffer[] = []
  let headBytes = 0
  let tail: Buffer[] = []
  let tailBytes = 0
  let total = 0
  const keepTail = (chunk: Buffer): void => {
    // Copies what is kept, so that a small slice never holds a large chunk alive.
    tail.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - half))))
    tailBytes += tail.at(-1)?.length ?? 0
    if (tailBytes <= 2 * half) return
    tail = [Buffer.concat(tail).subarray(-half)]
    tailBytes = half
  }
  return {
    get total() {
      return total
    },
    add(chunk) {
      total += chunk.length
      const room = half - headBytes
      if (room > 0) {
        const part = Buffer.from(chunk.subarray(0, room))
        head.push(part)
        headBytes += part.length
      }
      if (chunk.length > room) keepTail(chunk.subarray(Math.max(0, room)))
    },
    read() {
      const first = Buffer.concat(head)
      const last = Buffer.concat(tail).subarray(-half)
      const omitted = total - first.length - last.length
      if (omitted === 0) return { text: readable(Buffer.concat([first, last]).toString()), omitted }
      const gap = `\n… ${omitted} bytes left out …\n`
      return { text: readable(dropTorn(first, 'end')) + gap + readable(dropTorn(last, 'start')), omitted }
    },
  }
}

/** Decodes bytes that were cut at one side, without the half character at the cut. */
function dropTorn(bytes: Buffer, side: 'start' | 'end'): string {
  const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
  if (side === 'start') {
    let from = 0
    while (from < 3 && continues(bytes[from])) from++
    return bytes.subarray(from).toString()
  }
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && continues(bytes[lead])) lead--
  const byte = bytes[lead] ?? 0
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return bytes.subarray(0, lead + length > bytes.length ? lead : bytes.length).toString()
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Removes terminal sequences and control codes; a line that was overwritten by CR shows its last state. */
export function readable(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCES, '')
    .replace(/\r+\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replace(CONTROLS, '')
}
