/** Finds a range of lines in a file of any size by looking for newline bytes, in bounded memory. */
import type { FileHandle } from 'node:fs/promises'

const CHUNK = 1024 * 1024
/** After the wanted lines the rest is counted only up to here, so that an answer comes in a second. */
const COUNT_BYTES = 64 * 1024 * 1024
/** One line may fill this much; the rest of it is dropped. */
const LINE_BYTES = 64 * 1024
const NEWLINE = 0x0a

export interface LineWindow {
  /** Bytes of each line without its newline. */
  readonly lines: readonly Buffer[]
  /** True when the lines are UTF-8 already, whatever the file is. */
  readonly decoded?: boolean
  /** Lines in the file; undefined when counting them all would take too long. */
  readonly total: number | undefined
  /** Bytes that were not looked at. */
  readonly remainingBytes: number
}

export interface LineRange {
  readonly first: number
  readonly last: number
  /** Bytes at the start that belong to no line. */
  readonly skip: number
  /** Size at opening: a file that grows meanwhile is read up to here. */
  readonly size: number
}

/** Reads lines `first`…`last`, counted from 1, in at most a few megabytes of memory. */
export async function scanLines(
  handle: FileHandle,
  range: LineRange,
  signal: AbortSignal,
): Promise<LineWindow> {
  const buffer = Buffer.allocUnsafe(CHUNK)
  const collector = createCollector(range)
  let position = range.skip
  let countUntil = Number.MAX_SAFE_INTEGER
  while (position < range.size && position < countUntil) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, range.size - position), position)
    if (bytesRead === 0) break
    collector.add(buffer.subarray(0, bytesRead))
    position += bytesRead
    if (collector.done() && countUntil === Number.MAX_SAFE_INTEGER) countUntil = position + COUNT_BYTES
  }
  const remainingBytes = Math.max(0, range.size - position)
  const { lines, count } = collector.end(remainingBytes === 0)
  return { lines, total: remainingBytes === 0 ? count : undefined, remainingBytes }
}

interface Collector {
  add(chunk: Buffer): void
  done(): boolean
  end(atEnd: boolean): { lines: Buffer[]; count: number }
}

function createCollector(range: LineRange): Collector {
  const lines: Buffer[] = []
  let line = 1
  let part: Buffer[] = []
  let partBytes = 0
  let open = false
  const keep = (bytes: Buffer): void => {
    const room = LINE_BYTES - partBytes
    if (room <= 0) return
    part.push(Buffer.from(bytes.subarray(0, room)))
    partBytes += Math.min(room, bytes.length)
  }
  const finish = (): void => {
    if (line >= range.first && line <= range.last) lines.push(Buffer.concat(part))
    part = []
    partBytes = 0
    line++
  }
  return {
    done: () => line > range.last,
    add(chunk) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        if (line >= range.first && line <= range.last) keep(chunk.subarray(from, at))
        finish()
        from = at + 1
        if (line < range.first || line > range.last) {
          const skipped = skipLines(
            chunk,
            from,
            line < range.first ? range.first - line : Number.MAX_SAFE_INTEGER,
          )
          line += skipped.lines
          from = skipped.at
        }
      }
      open = from < chunk.length
      if (open && line >= range.first && line <= range.last) keep(chunk.subarray(from))
    },
    end(atEnd) {
      if (atEnd && open) finish()
      return { lines, count: line - 1 }
    },
  }
}

/** Passes over up to `most` lines, byte by byte, which is the fastest way for short lines. */
function skipLines(chunk: Buffer, from: number, most: number): { lines: number; at: number } {
  let lines = 0
  let at = from
  for (let index = from; index < chunk.length && lines < most; index++) {
    if (chunk[index] !== NEWLINE) continue
    lines++
    at = index + 1
  }
  return { lines, at }
}
