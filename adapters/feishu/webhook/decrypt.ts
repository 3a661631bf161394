import { createDecipheriv, hash } from 'node:crypto'

const IV_BYTES = 16

/** The AES key that belongs to an Encrypt Key: its SHA-256. Derived once, not for every event. */
export function deriveKey(encryptKey: string): Buffer {
  return hash('sha256', encryptKey, 'buffer')
}

/**
 * Opens `encrypt`: AES-256-CBC, PKCS7, the IV in the first 16 bytes. Undefined for anything malformed,
 * without saying what was wrong with it.
 */
export function decrypt(encrypted: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64')
  // Node skips what is no base64; text that was skipped makes the bytes too few.
  if (bytes.length !== Buffer.byteLength(encrypted, 'base64')) return undefined
  if (bytes.length < 2 * IV_BYTES || bytes.length % IV_BYTES !== 0) return undefined
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, IV_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    // Bad padding and a wrong key look the same from here, and must look the same from outside.
    return undefined
  }
}
