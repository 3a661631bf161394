import { keysIn } from '../../protocol/key-shapes.ts'

/** Characters of the longest key that is sure to be found across a border; of a private key the first line is enough. */
const OVERLAP = 8_192
const MOST = 3

export interface SecretSearch {
  /** The next bytes of the file, in order. */
  take(bytes: Buffer): void
  /** What was found, masked; the first few. */
  readonly found: readonly string[]
}

/** Looks for keys in the bytes of a file, also across the borders of its pieces (X2). */
export function createSecretSearch(): SecretSearch {
  const found = new Set<string>()
  let tail = ''
  return {
    get found() {
      return [...found]
    },
    take: (bytes) => {
      if (found.size >= MOST) return
      // Keys are ASCII: as Latin-1 every byte is one character, whatever the file is written in, and UTF-16
      // has a NUL beside each.
      const text = tail + bytes.toString('latin1').replaceAll('\0', '')
      for (const key of keysIn(text, MOST - found.size)) found.add(key)
      tail = text.slice(-OVERLAP)
    },
  }
}
