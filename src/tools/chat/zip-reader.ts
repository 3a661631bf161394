/** Reads the entries of a zip in the order in which they lie in it, also of one whose end has not come yet. */
import { Unzip, type UnzipDecoderConstructor } from 'fflate'
import { createInflater, type Inflater, type OnPiece } from './inflater.ts'

/** Entries that hold no words. */
const MEDIA = /\.(?:png|jpe?g|gif|webp|bmp|emf|wmf|tiff?|ico|mp3|mp4|m4a|mov|wav|woff2?|ttf|otf)$/i
const STORED = 0
const DEFLATED = 8

/** Packed bytes of one entry. */
interface Part {
  readonly to: Inflater
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/**
 * @param open called with the name of each entry that is looked into
 * @param onEntry told of every entry
 */
export function createZipReader(open: (entry: string) => OnPiece, onEntry: () => void): Inflater {
  let parts: Part[] = []
  let current: Inflater | undefined
  let isClosed = false
  const known = new Set<number>()
  const unzip = new Unzip((file) => {
    onEntry()
    // Every kind has a decoder, because the bytes of an entry without one would be kept.
    if (!known.has(file.compression))
      unzip.register(decoderOf(file.compression, open, (part) => parts.push(part)))
    known.add(file.compression)
    file.ondata = () => undefined
    file.start()
  })
  return {
    push: async (bytes) => {
      unzip.push(bytes)
      const next = parts
      parts = []
      for (const { to, bytes: packed, isLast } of next) {
        if (isClosed) return
        current = to
        await to.push(packed)
        if (isLast) to.close()
      }
    },
    close: () => {
      isClosed = true
      current?.close()
    },
  }
}

/** What the library calls with the packed bytes of an entry; they are unpacked when their turn comes. */
function decoderOf(
  compression: number,
  open: (entry: string) => OnPiece,
  add: (part: Part) => void,
): UnzipDecoderConstructor {
  return class {
    static readonly compression = compression
    readonly ondata = (): void => undefined
    private readonly to: Inflater
    constructor(name: string) {
      this.to = entryReader(name, compression, open)
    }
    push(bytes: Uint8Array, isLast: boolean): void {
      add({ to: this.to, bytes, isLast })
    }
  }
}

function entryReader(name: string, compression: number, open: (entry: string) => OnPiece): Inflater {
  const isRead = (compression === STORED || compression === DEFLATED) && !MEDIA.test(name)
  let isOver = !isRead
  let begun: Inflater | undefined
  return {
    push: async (bytes) => {
      if (isOver) return
      begun ??= compression === DEFLATED ? createInflater('deflate', open(name)) : asStored(open(name))
      await begun.push(bytes)
    },
    close: () => {
      isOver = true
      begun?.close()
    },
  }
}

function asStored(tell: OnPiece): Inflater {
  return { push: async (bytes) => tell(bytes), close: () => undefined }
}
