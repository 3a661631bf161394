import { keysIn } from '../../protocol/key-shapes.ts'

/** Longer than any key but a private one, whose first line is enough. */
const OVERLAP = 512
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
      // Keys are ASCII; as Latin-1 every byte is one character, whatever the file is written in.
      const text = tail + bytes.toString('latin1')
      for (const key of keysIn(text, MOST - found.size)) found.add(key)
      tail = text.slice(-OVERLAP)
    },
  }
}
