/** A whole text file, as editing needs it: its text, its encoding, and the digest of its bytes. */
import { createHash } from 'node:crypto'
import { AppError } from '../../protocol/errors.ts'
import { openForReading, type Territory } from '../workspace-path.ts'
import { decodeWhole, detectEncoding, type Encoding } from './encoding.ts'

/** Largest file that is edited in memory. */
export const EDITABLE_BYTES = 10 * 1024 * 1024

export interface WholeFile {
  readonly path: string
  /** SHA-256 of the bytes, hex. */
  readonly digest: string
  /** Undefined when the bytes are not text in one known encoding. */
  readonly text: string | undefined
  readonly encoding: Encoding | undefined
}

/** Reads a file of at most 10 MB. Rejects like `openForReading`, and with `tool.limit` over the size. */
export async function readWholeFile(territory: Territory, name: string): Promise<WholeFile> {
  const file = await openForReading(territory, name)
  try {
    if (file.size > EDITABLE_BYTES) {
      throw new AppError(
        'tool.limit',
        `"${name}" has ${file.size} bytes; up to ${EDITABLE_BYTES} can be edited.`,
        {
          hint: 'Change it with a command such as sed, or split it.',
        },
      )
    }
    const buffer = Buffer.alloc(file.size)
    const { bytesRead } = await file.handle.read(buffer, 0, file.size, 0)
    const bytes = buffer.subarray(0, bytesRead)
    const encoding = detectEncoding(bytes, true)
    return {
      path: file.path,
      digest: digestOf(bytes),
      text: encoding && decodeWhole(bytes, encoding),
      encoding,
    }
  } finally {
    await file.handle.close()
  }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Digest that stands for "there is no such file". */
export const ABSENT = 'absent'

/** The state of a file that a call relies on, for its bound form. */
export async function stateOf(
  territory: Territory,
  name: string,
): Promise<{ path?: string; digest: string }> {
  try {
    const { path, digest } = await readWholeFile(territory, name)
    return { path, digest }
  } catch {
    // Not there, or nothing that could be edited: the call itself says why.
    return { digest: ABSENT }
  }
}
