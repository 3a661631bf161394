/** Finds a range of lines in a file of any size by looking for newline bytes, in bounded memory. */
import type { FileHandle } from 'node:fs/promises'
import { createNewlineCounters, type NewlineCounter } from './newline-counter.ts'

const CHUNK = 1024 * 1024
/** Buffers of that size: one is searched while the others are filled. */
const CHUNKS = 3
/** Newlines are counted in parts of this size until the wanted one is in the next part. */
const PART = 4 * 1024
/** The lines after the wanted ones are counted when they fill no more than this. */
const COUNT_BYTES = 64 * 1024 * 1024
/** One line may fill this much; the rest of it is dropped. */
const LINE_BYTES = 64 * 1024
const NEWLINE = 0x0a
const newCounter = createNewlineCounters(CHUNKS)

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

/** Reads lines `first`…`last`, counted from 1, in three megabytes of memory. */
export async function scanLines(
  handle: FileHandle,
  range: LineRange,
  signal: AbortSignal,
): Promise<LineWindow> {
  const counter = newCounter()
  const collector = createCollector(range, counter)
  let position = range.skip
  for await (const chunk of chunks(handle, range, counter.memory)) {
    signal.throwIfAborted()
    collector.add(chunk)
    position += chunk.length
    if (collector.done() && range.size - position > COUNT_BYTES) break
  }
  const remainingBytes = Math.max(0, range.size - position)
  const { lines, count } = collector.end(remainingBytes === 0)
  return { lines, total: remainingBytes === 0 ? count : undefined, remainingBytes }
}

/** The file's bytes from `skip` to `size`, in `memory`; a chunk is valid until the next is asked for. */
async function* chunks(handle: FileHandle, range: LineRange, memory: Buffer): AsyncGenerator<Buffer> {
  let position = range.skip
  const ask = (index: number): { into: Buffer; bytes: Promise<number> } => {
    const length = Math.min(CHUNK, Math.max(0, range.size - position))
    const into = memory.subarray(index * CHUNK, index * CHUNK + length)
    const bytes = fill(handle, into, position)
    // What fails ahead is met when its turn comes.
    bytes.catch(() => {})
    position += length
    return { into, bytes }
  }
  const asked = Array.from({ length: CHUNKS }, (_, index) => ask(index))
  try {
    for (let turn = 0; ; turn = (turn + 1) % CHUNKS) {
      const next = asked[turn]
      const bytes = (await next?.bytes) ?? 0
      if (bytes > 0 && next) yield next.into.subarray(0, bytes)
      if (bytes < CHUNK) return
      asked[turn] = ask(turn)
    }
  } finally {
    // The caller closes the file next: what is read ahead must be over by then.
    await Promise.allSettled(asked.map(({ bytes }) => bytes))
  }
}

/** Reads until `into` is full or the file ends, and returns how many bytes that were. */
async function fill(handle: FileHandle, into: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < into.length) {
    const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

interface Collector {
  add(chunk: Buffer): void
  done(): boolean
  end(atEnd: boolean): { lines: Buffer[]; count: number }
}

function createCollector(range: LineRange, counter: NewlineCounter): Collector {
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
          const skipped = skipLines(counter, chunk, from, most)
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

/** Passes over up to `most` lines; `at` is where the next line begins. */
function skipLines(
  counter: NewlineCounter,
  chunk: Buffer,
  from: number,
  most: number,
): { lines: number; at: number } {
  const all = counter.count(chunk.subarray(from))
  if (all === 0) return { lines: 0, at: from }
  if (all < most) return { lines: all, at: chunk.lastIndexOf(NEWLINE) + 1 }
  let lines = 0
  let at = from
  for (;;) {
    const part = counter.count(chunk.subarray(at, at + PART))
    if (lines + part >= most) break
    lines += part
    at += PART
  }
  while (lines < most) {
    at = chunk.indexOf(NEWLINE, at) + 1
    lines++
  }
  return { lines, at }
}
