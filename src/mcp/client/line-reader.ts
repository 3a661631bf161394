/** Cuts a stream into lines in bounded memory. A line over the limit is drained, not kept. */

export interface LineReader {
  add(chunk: Buffer): void
}

export interface LineEvents {
  line(text: string): void
  /** A line was too long; head and tail of it, for finding out whom it would have answered. */
  tooLong(ends: { readonly head: string; readonly tail: string }): void
}

const ENDS = 512
const NEWLINE = 0x0a

export function createLineReader(longest: number, events: LineEvents): LineReader {
  let parts: Buffer[] = []
  let bytes = 0
  let head = ''
  let tail = Buffer.alloc(0)

  const take = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes <= longest) {
      parts.push(piece)
      return
    }
    if (parts.length > 0) {
      head = Buffer.concat(parts).subarray(0, ENDS).toString('latin1')
      parts = []
    }
    tail = Buffer.concat([tail, piece.subarray(-ENDS)]).subarray(-ENDS)
  }
  const finish = (): void => {
    if (bytes > longest) events.tooLong({ head, tail: tail.toString('latin1') })
    else if (bytes > 0) events.line(Buffer.concat(parts).toString('utf8'))
    parts = []
    bytes = 0
    head = ''
    tail = Buffer.alloc(0)
  }
  return {
    add: (chunk) => {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at))
        finish()
        from = at + 1
      }
      if (from < chunk.length) take(chunk.subarray(from))
    },
  }
}
