/**
 * What lies in an archive or an office document, one level deep (X2): pieces of its entries as they come, in
 * bounded memory, so that the very bytes that are sent are looked into. What is broken, encrypted or of another
 * kind yields nothing.
 */
import { Gunzip, Unzip, type UnzipFile, UnzipInflate } from 'fflate'

export interface Unpacker {
  /** The next bytes of the file, in order. */
  take(bytes: Uint8Array): void
}

/** Told of each piece of an entry. */
export type OnPiece = (piece: Uint8Array) => void

/** Unpacked bytes after which nothing more is looked into: an archive that grows without end is no document. */
const MOST_BYTES = 64 * 1024 * 1024
/** So little is unpacked at once that even a bomb makes the service stand still for a few milliseconds only. */
const STEP = 2 * 1024
/** Entries that hold no words. */
const MEDIA = /\.(?:png|jpe?g|gif|webp|bmp|emf|wmf|tiff?|ico|mp3|mp4|m4a|mov|wav|woff2?|ttf|otf)$/i

/** @param open called with the name of each entry that is looked into */
export function createUnpacker(open: (entry: string) => OnPiece): Unpacker {
  let push: ((bytes: Uint8Array) => void) | undefined
  let begun = false
  let left = MOST_BYTES
  const counted = (entry: string): OnPiece => {
    const tell = open(entry)
    return (piece) => {
      left -= piece.byteLength
      tell(piece)
    }
  }
  return {
    take: (bytes) => {
      if (!begun) push = unpackerFor(bytes, counted)
      begun = true
      for (let at = 0; push && at < bytes.byteLength; at += STEP) {
        try {
          // A copy: what is unpacked later must not change with the reader's buffer.
          push(Uint8Array.from(bytes.subarray(at, at + STEP)))
          if (left <= 0) push = undefined
        } catch {
          push = undefined
        }
      }
    },
  }
}

function unpackerFor(
  beginning: Uint8Array,
  open: (entry: string) => OnPiece,
): ((bytes: Uint8Array) => void) | undefined {
  const magic = Buffer.from(beginning.subarray(0, 4)).toString('latin1')
  if (magic.startsWith('\x1f\x8b')) {
    const gunzip = new Gunzip(open(''))
    return (bytes) => gunzip.push(bytes)
  }
  if (magic !== 'PK\x03\x04') return undefined
  const unzip = new Unzip((file) => begin(file, open))
  unzip.register(UnzipInflate)
  return (bytes) => unzip.push(bytes)
}

function begin(file: UnzipFile, open: (entry: string) => OnPiece): void {
  if (MEDIA.test(file.name)) return
  const tell = open(file.name)
  file.ondata = (error, piece) => {
    if (!error) tell(piece)
  }
  try {
    file.start()
  } catch {
    // Packed in another way, or encrypted: it is passed over, and the next entry is looked into.
  }
}
