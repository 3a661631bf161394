/** Inflates piece by piece on the threads of the runtime: no piece is large, and between two the service goes on. */
import { createGunzip, createInflateRaw } from 'node:zlib'

/** Told of each piece, in order; it is valid during the call only. */
export type OnPiece = (piece: Uint8Array) => void

export interface Inflater {
  /** Resolves once everything that these bytes hold has been told. Broken bytes end it silently. */
  push(bytes: Uint8Array): Promise<void>
  /** Nothing is told any more. */
  close(): void
}

/** Most bytes that are told at once. */
const PIECE = 64 * 1024

export function createInflater(kind: 'gzip' | 'deflate', tell: OnPiece): Inflater {
  const make = kind === 'gzip' ? createGunzip : createInflateRaw
  const stream = make({ chunkSize: PIECE })
  let isOver = false
  let settle = (): void => undefined
  const finish = (): void => {
    isOver = true
    settle()
  }
  stream.on('data', (piece: Buffer) => {
    if (!isOver) tell(piece)
  })
  // What follows the end of the packed bytes is never acknowledged, so the end settles too.
  for (const event of ['error', 'end', 'close']) stream.on(event, finish)
  return {
    push: (bytes) =>
      new Promise<void>((resolve) => {
        if (isOver) return resolve()
        settle = resolve
        stream.write(bytes, () => {
          // What still waits in the stream is told before the bytes count as done.
          while (stream.read() !== null);
          resolve()
        })
      }),
    close: () => {
      finish()
      stream.destroy()
    },
  }
}
