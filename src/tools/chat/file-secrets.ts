import { keysIn } from '../../protocol/key-shapes.ts'
import { createUnpacker } from './unpacker.ts'

/** Characters of the longest key that is sure to be found across a border; of a private key the first line is enough. */
const OVERLAP = 8_192
const MOST = 3

export interface SecretSearch {
  /** The next bytes of the file, in order. */
  take(bytes: Buffer): void
  /** What was found, masked; the first few. */
  readonly found: readonly string[]
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
    if (!/\.(?:xml|rels|html?)$/i.test(entry)) return (piece) => plain(latin1(piece))
    // Word cuts a word into runs at will, each between tags of its own.
    const joined = searchInto(found)
    const withoutTags = createTagStripper()
    return (piece) => {
      const text = latin1(piece)
      plain(text)
      joined(withoutTags(text))
    }
  })
  return {
    get found() {
      return [...found]
    },
    take: (bytes) => {
      if (found.size >= MOST) return
      outside(latin1(bytes))
      unpacker.take(bytes)
    },
  }
}

/** Keys are ASCII: as Latin-1 every byte is one character, whatever the file is written in; UTF-16 has a NUL beside each. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replaceAll('\0', '')
}

function searchInto(found: Set<string>): (text: string) => void {
  let tail = ''
  return (next) => {
    if (found.size >= MOST) return
    const text = tail + next
    for (const key of keysIn(text, MOST - found.size)) found.add(key)
    tail = text.slice(-OVERLAP)
  }
}

/** Leaves tags out, also those that two pieces share. */
function createTagStripper(): (text: string) => string {
  let isInside = false
  return (text) => {
    const parts = text.split(/([<>])/)
    let kept = ''
    for (const part of parts) {
      if (part === '<') isInside = true
      else if (part === '>') isInside = false
      else if (!isInside) kept += part
    }
    return kept
  }
}
