/**
 * Counts newlines sixteen bytes at a time. JavaScript looks at four at most, and a file of gigabytes shows it;
 * so this is one function of WebAssembly, small enough to be written out here.
 */

/** What is used of WebAssembly; the types of browsers are not part of this program. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer }
      readonly count: (at: number, to: number) => number
    }
  }
}

export interface NewlineCounter {
  /** The memory it can look at; everything that is to be counted is read into it. */
  readonly memory: Buffer
  /** Newlines in `bytes`, a part of {@link memory}. */
  count(bytes: Buffer): number
}

const PAGE = 64 * 1024
const NEWLINE = 0x0a

// Codes of the binary format: https://webassembly.github.io/spec/core/binary/
const [TYPE, FUNCTION, MEMORY, EXPORT, CODE] = [1, 3, 5, 7, 10]
const [I32, NO_RESULT, END] = [0x7f, 0x40, 0x0b]
const [BLOCK, LOOP, JUMP, JUMP_IF] = [0x02, 0x03, 0x0c, 0x0d]
const [GET, SET, CONST, ADD, IS_NOT_BELOW, COUNT_BITS] = [0x20, 0x21, 0x41, 0x6a, 0x4f, 0x69]
const VECTOR = 0xfd
const [LOAD, SPREAD, EQUAL, BITS] = [0x00, 0x0f, 0x23, 0x64]
const [AT, TO, COUNT] = [0, 1, 2]

/** `for (; at < to; at += 16) count += the bits of (sixteen bytes at `at` == newline)` */
const BODY = [
  ...[1, 1, I32],
  ...[BLOCK, NO_RESULT, LOOP, NO_RESULT],
  ...[GET, AT, GET, TO, IS_NOT_BELOW, JUMP_IF, 1],
  ...[GET, AT, VECTOR, LOAD, 0, 0, CONST, NEWLINE, VECTOR, SPREAD, VECTOR, EQUAL, VECTOR, BITS, COUNT_BITS],
  ...[GET, COUNT, ADD, SET, COUNT],
  ...[GET, AT, CONST, 16, ADD, SET, AT],
  ...[JUMP, 0, END, END, GET, COUNT, END],
]

/** The module: one memory of `pages`, at most 127, and the function. */
function assemble(pages: number): Uint8Array {
  const list = (...items: number[][]): number[] => [items.length, ...items.flat()]
  const section = (id: number, content: number[]): number[] => [id, content.length, ...content]
  const named = (name: string, kind: number): number[] => [name.length, ...Buffer.from(name), kind, 0]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(TYPE, list([0x60, 2, I32, I32, 1, I32])),
    ...section(FUNCTION, list([0])),
    ...section(MEMORY, list([1, pages, pages])),
    ...section(EXPORT, list(named('memory', 2), named('count', 0))),
    ...section(CODE, list([BODY.length, ...BODY])),
  ])
}

/** Makes counters over `megabytes`, at most 7; the engine keeps what it learnt about the function between them. */
export function createNewlineCounters(megabytes: number): () => NewlineCounter {
  const module = new WebAssembly.Module(assemble((megabytes * 1024 * 1024) / PAGE))
  return () => {
    const { memory, count } = new WebAssembly.Instance(module).exports
    return {
      memory: Buffer.from(memory.buffer),
      count: (bytes) => {
        const [from, to] = [bytes.byteOffset, bytes.byteOffset + bytes.length]
        const whole = to - (bytes.length % 16)
        let newlines = count(from, whole)
        for (const byte of bytes.subarray(whole - from)) if (byte === NEWLINE) newlines++
        return newlines
      },
    }
  }
}
