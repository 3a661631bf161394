/** Finds a range of lines in a file of any size by looking for newline bytes, in bounded memory. */
import type { FileHandle } from 'node:fs/promises'

/** Two buffers of this size: one is searched while the other is filled. A multiple of four. */
const CHUNK = 2 * 1024 * 1024
/** The lines after the wanted ones are counted when they fill no more than this. */
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

/** Reads lines `first`…`last`, counted from 1, in a few megabytes of memory. */
export async function scanLines(
  handle: FileHandle,
  range: LineRange,
  signal: AbortSignal,
): Promise<LineWindow> {
  const collector = createCollector(range)
  let position = range.skip
  for await (const chunk of chunks(handle, range)) {
    signal.throwIfAborted()
    collector.add(chunk)
    position += chunk.length
    if (collector.done() && range.size - position > COUNT_BYTES) break
  }
  const remainingBytes = Math.max(0, range.size - position)
  const { lines, count } = collector.end(remainingBytes === 0)
  return { lines, total: remainingBytes === 0 ? count : undefined, remainingBytes }
}

/** The file's bytes from `skip` to `size`; a chunk is valid until the one after the next is asked for. */
async function* chunks(handle: FileHandle, range: LineRange): AsyncGenerator<Buffer> {
  const read = (buffer: Buffer, position: number): ReturnType<FileHandle['read']> =>
    handle.read(buffer, 0, Math.min(CHUNK, Math.max(0, range.size - position)), position)
  let [current, spare] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)]
  let position = range.skip
  let pending = read(current, position)
  try {
    for (;;) {
      const { bytesRead } = await pending
      if (bytesRead === 0) return
      position += bytesRead
      pending = read(spare, position)
      yield current.subarray(0, bytesRead)
      ;[current, spare] = [spare, current]
    }
  } finally {
    // The caller closes the file next: the read ahead must be over by then.
    await pending
  }
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
  const wanted = (): boolean => line >= range.first && line <= range.last
  const keep = (bytes: Buffer): void => {
    const room = LINE_BYTES - partBytes
    if (room <= 0) return
    part.push(Buffer.from(bytes.subarray(0, room)))
    partBytes += Math.min(room, bytes.length)
  }
  const finish = (): void => {
    if (wanted()) lines.push(Buffer.concat(part))
    part = []
    partBytes = 0
    line++
  }
  return {
    done: () => line > range.last,
    add(chunk) {
      let from = 0
      while (from < chunk.length) {
        if (!wanted()) {
          const most = line < range.first ? range.first - line : Number.MAX_SAFE_INTEGER
          const skipped = skipLines(chunk, from, most)
          line += skipped.lines
          open = skipped.at < chunk.length
          if (!wanted()) return
          from = skipped.at
          continue
        }
        const at = chunk.indexOf(NEWLINE, from)
        keep(chunk.subarray(from, at === -1 ? chunk.length : at))
        open = at === -1
        if (at === -1) return
        finish()
        from = at + 1
      }
    },
    end(atEnd) {
      if (atEnd && open) finish()
      return { lines, count: line - 1 }
    },
  }
}

/**
 * Passes over up to `most` lines; `at` is where the next line begins. Four bytes are looked at together:
 * subtracting 1 from a byte that is zero after the exclusive or, and from no other, sets its top bit.
 */
function skipLines(chunk: Buffer, from: number, most: number): { lines: number; at: number } {
  let lines = 0
  let at = from
  let index = from
  const bytewise = (end: number): void => {
    for (; index < end && lines < most; index++) {
      if (chunk[index] !== NEWLINE) continue
      lines++
      at = index + 1
    }
  }
  bytewise(Math.min(chunk.length, from + ((4 - (from & 3)) & 3)))
  const words = new Uint32Array(chunk.buffer, chunk.byteOffset, chunk.length >>> 2)
  for (let word = index >>> 2; word < words.length && lines < most; word++) {
    const difference = (words[word] ?? 0) ^ 0x0a0a0a0a
    index = word << 2
    if (((difference - 0x01010101) & ~difference & 0x80808080) !== 0) bytewise(index + 4)
    else index += 4
  }
  bytewise(chunk.length)
  return { lines, at }
}
