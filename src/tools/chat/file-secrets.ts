import { setImmediate } from 'node:timers/promises'
import { keysIn } from '../../protocol/key-shapes.ts'
import { createUnpacker } from './unpacker.ts'

/** Characters of the longest key that is sure to be found across a border; of a private key the first line is enough. */
const OVERLAP = 8_192
const MOST = 3
/** Bytes between two turns of other work. */
const STEP = 64 * 1024
const NUL = 0
const OPENS = 0x3c
const CLOSES = 0x3e

export interface SecretSearch {
  /** Resolves once the next bytes of the file, in order, are looked into; other work goes on meanwhile. */
  take(bytes: Buffer): Promise<void>
  /** What was found, masked; the first few. */
  readonly found: readonly string[]
  /** Looking into the archive was too much work: what else it holds is not known. */
  readonly isCutShort: boolean
  close(): void
}

/**
 * Looks for keys in the bytes of a file, also across the borders of its pieces, and in what an archive or an
 * office document holds (X2).
 */
export function createSecretSearch(): SecretSearch {
  const found = new Set<string>()
  const outside = searchInto(found)
  const unpacker = createUnpacker((entry) => {
    const plain = searchInto(found)
    if (!/\.(?:xml|rels|html?)$/i.test(entry)) return (piece) => plain(withoutNul(piece))
    // Word cuts a word into runs at will, each between tags of its own.
    const joined = searchInto(found)
    const withoutTags = createTagStripper()
    return (piece) => {
      const bytes = withoutNul(piece)
      plain(bytes)
      joined(withoutTags(bytes))
    }
  })
  return {
    get found() {
      return [...found]
    },
    get isCutShort() {
      return unpacker.isCutShort
    },
    close: () => unpacker.close(),
    take: async (bytes) => {
      for (let at = 0; at < bytes.byteLength && found.size < MOST; at += STEP) {
        const step = bytes.subarray(at, at + STEP)
        outside(withoutNul(step))
        await unpacker.take(step)
        await setImmediate()
      }
    },
  }
}

/** UTF-16 has a NUL beside each ASCII character. */
function withoutNul(bytes: Uint8Array): Uint8Array {
  return bytes.includes(NUL) ? only(bytes, (byte) => byte !== NUL) : bytes
}

/** Byte by byte, so that no content costs more than another. */
function only(bytes: Uint8Array, isKept: (byte: number) => boolean): Uint8Array {
  const kept = new Uint8Array(bytes.byteLength)
  let length = 0
  for (const byte of bytes) if (isKept(byte)) kept[length++] = byte
  return kept.subarray(0, length)
}

function searchInto(found: Set<string>): (bytes: Uint8Array) => void {
  let tail = ''
  return (bytes) => {
    if (found.size >= MOST || bytes.byteLength === 0) return
    // Keys are ASCII: as Latin-1 every byte is one character, whatever the file is written in.
    const text = tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    for (const key of keysIn(text, MOST - found.size)) found.add(key)
    tail = text.slice(-OVERLAP)
  }
}

/** Leaves tags out, also those that two pieces share. */
function createTagStripper(): (bytes: Uint8Array) => Uint8Array {
  let isInside = false
  const isText = (byte: number): boolean => {
    if (byte === OPENS) isInside = true
    else if (byte === CLOSES) isInside = false
    else return !isInside
    return false
  }
  return (bytes) => only(bytes, isText)
}
