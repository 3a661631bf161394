import { createDecipheriv, type Decipheriv, hash } from 'node:crypto'

const BLOCK_BYTES = 16

/** The AES key that belongs to an Encrypt Key: its SHA-256. Derived once, not for every event. */
export function deriveKey(encryptKey: string): Buffer {
  return hash('sha256', encryptKey, 'buffer')
}

/** The bytes of `encrypt`; undefined unless they are an IV and at least one block. */
export function decodeSealed(encrypted: string): Buffer | undefined {
  const bytes = Buffer.from(encrypted, 'base64')
  // Node skips what is no base64; text that was skipped makes the bytes too few.
  if (bytes.length !== Buffer.byteLength(encrypted, 'base64')) return undefined
  return bytes.length < 2 * BLOCK_BYTES || bytes.length % BLOCK_BYTES !== 0 ? undefined : bytes
}

/**
 * Opens `encrypt`: AES-256-CBC, PKCS7, the IV in the first 16 bytes. Undefined for anything malformed,
 * without saying what was wrong with it.
 */
export function decrypt(encrypted: string, key: Buffer): string | undefined {
  const bytes = decodeSealed(encrypted)
  if (bytes === undefined) return undefined
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, BLOCK_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(BLOCK_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    // Bad padding and a wrong key look the same from here, and must look the same from outside.
    return undefined
  }
}

/**
 * {@link decrypt} for the way of every event, over what {@link decodeSealed} gave. Making a cipher, and having
 * it collected, costs several times what it does; so one is kept. That is sound because of what CBC is: a block
 * of plaintext depends on its own ciphertext and the one before it, on nothing earlier. The IV goes through the
 * cipher like a block of the message: it comes out as noise, which is cut off, and what follows comes out as if
 * the cipher had been made with that IV. Only whole blocks go in, so the cipher never keeps a rest. It never
 * checks the padding, since it never comes to an end: that is done here, all bytes of it.
 *
 * For bytes whose signature was verified: what nobody signed is no input for a cipher that is kept.
 */
export function createOpener(key: Buffer): (bytes: Buffer) => string | undefined {
  let kept: Decipheriv | undefined
  return (bytes) => {
    if (bytes.length < 2 * BLOCK_BYTES || bytes.length % BLOCK_BYTES !== 0) return undefined
    kept ??= createDecipheriv('aes-256-cbc', key, Buffer.alloc(BLOCK_BYTES)).setAutoPadding(false)
    let plain: Buffer
    try {
      plain = kept.update(bytes)
    } catch {
      kept = undefined
      return undefined
    }
    // A cipher that holds something back is out of step: the next message gets a new one.
    if (plain.length !== bytes.length) kept = undefined
    return kept && unpadded(plain)
  }
}

/** The text between the first block and the padding; undefined when that is not PKCS7. */
function unpadded(plain: Buffer): string | undefined {
  const padding = plain[plain.length - 1] ?? 0
  if (padding < 1 || padding > BLOCK_BYTES) return undefined
  const end = plain.length - padding
  for (let at = end; at < plain.length; at++) if (plain[at] !== padding) return undefined
  return plain.toString('utf8', BLOCK_BYTES, end)
}
