/**
 * What lies in an archive or an office document, one level deep (X2): pieces of its entries as they come, in
 * bounded memory and bounded work, so that the very bytes that are sent are looked into. What is broken,
 * encrypted or of another kind yields nothing.
 */
import { setImmediate } from 'node:timers/promises'
import { createInflater, type Inflater, type OnPiece } from './inflater.ts'
import { createZipReader } from './zip-reader.ts'

export interface Unpacker {
  /** Resolves once the next bytes of the file, in order, are looked into; other work goes on meanwhile. */
  take(bytes: Uint8Array): Promise<void>
  /** The archive was too much work: what lies behind has not been looked into. */
  readonly isCutShort: boolean
  close(): void
}

/** Unpacked bytes after which nothing more is looked into: an archive that grows without end is no document. */
const MOST_BYTES = 64 * 1024 * 1024
/** What an entry costs beside its bytes, so that a crowd of empty ones is bounded as well. */
const ENTRY_COST = 4 * 1024
/** Packed bytes between two turns of other work: at most five hundred entries begin in them. */
const STEP = 16 * 1024

type Reader = Pick<Inflater, 'push' | 'close'>

/** @param open called with the name of each entry that is looked into */
export function createUnpacker(open: (entry: string) => OnPiece): Unpacker {
  let reader: Reader | undefined
  let hasBegun = false
  let left = MOST_BYTES
  const close = (): void => {
    reader?.close()
    reader = undefined
  }
  const spend = (cost: number): void => {
    left -= cost
    if (left <= 0) close()
  }
  const counted = (entry: string): OnPiece => {
    const tell = open(entry)
    return (piece) => {
      if (left <= 0) return
      spend(piece.byteLength)
      tell(piece)
    }
  }
  return {
    get isCutShort() {
      return left <= 0
    },
    close,
    take: async (bytes) => {
      if (!hasBegun) reader = readerFor(bytes, counted, () => spend(ENTRY_COST))
      hasBegun = true
      for (let at = 0; reader && at < bytes.byteLength; at += STEP) {
        try {
          // A copy: what is unpacked later must not change with the caller's buffer.
          await reader.push(Uint8Array.from(bytes.subarray(at, at + STEP)))
        } catch {
          close()
        }
        await setImmediate()
      }
    },
  }
}

function readerFor(
  beginning: Uint8Array,
  open: (entry: string) => OnPiece,
  onEntry: () => void,
): Reader | undefined {
  const magic = Buffer.from(beginning.subarray(0, 4)).toString('latin1')
  if (magic.startsWith('\x1f\x8b')) return createInflater('gzip', open(''))
  return magic === 'PK\x03\x04' ? createZipReader(open, onEntry) : undefined
}
