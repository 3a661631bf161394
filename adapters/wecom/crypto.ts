/**
 * WeCom's callback and media cryptography: SHA-1 signatures and AES-256-CBC padded to 32 bytes.
 * Pure functions over bytes. The cipher proves nothing by itself: verify the signature first.
 */
import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../src/protocol/errors.ts'

/** WeCom pads to 32 bytes, twice the block of AES. */
export const PAD_BLOCK = 32
const RANDOM_BYTES = 16
const LENGTH_BYTES = 4

/** Lower-case hex of SHA-1 over the four parts, sorted bytewise and joined (doc 91144). */
export function sign(token: string, timestamp: string, nonce: string, encrypt: string): string {
  return createHash('sha1').update([token, timestamp, nonce, encrypt].sort().join('')).digest('hex')
}

/** Compares two signatures without telling by time where they differ. */
export function sameSignature(expected: string, given: string): boolean {
  const a = Buffer.from(expected)
  const b = Buffer.from(given)
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The 32 key bytes of a base64 text that may lack its trailing `=` (EncodingAESKey, media `aeskey`). */
export function aesKey(text: string): Buffer {
  const key = Buffer.from(text.replace(/=+$/, ''), 'base64')
  if (key.length !== 32) {
    throw new AppError('wecom.bad_aes_key', `an AES key of ${key.length} bytes instead of 32`, {
      hint: 'Copy the 43 characters of the EncodingAESKey from the admin page again.',
    })
  }
  return key
}

/** Encrypts an answer to a callback. `salt` must be 16 bytes. Returns base64. */
export function encryptMessage(key: Buffer, message: string, receiveId: string, salt: Buffer): string {
  const body = Buffer.from(message)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(body.length)
  const plain = Buffer.concat([salt.subarray(0, RANDOM_BYTES), length, body, Buffer.from(receiveId)])
  const pad = PAD_BLOCK - (plain.length % PAD_BLOCK)
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  return Buffer.concat([
    cipher.update(plain),
    cipher.update(Buffer.alloc(pad, pad)),
    cipher.final(),
  ]).toString('base64')
}

/** Decrypts a callback. Throws `wecom.bad_ciphertext` for anything that is not exactly well-formed. */
export function decryptMessage(key: Buffer, encrypt: string): { message: string; receiveId: string } {
  const cipher = Buffer.from(encrypt, 'base64')
  if (cipher.toString('base64') !== encrypt) throw badCiphertext('not base64')
  const plain = unpad(decryptBlocks(key, cipher))
  const start = RANDOM_BYTES + LENGTH_BYTES
  if (plain.length < start) throw badCiphertext('too short')
  const end = start + plain.readUInt32BE(RANDOM_BYTES)
  if (end > plain.length) throw badCiphertext('length field beyond the end')
  return { message: plain.toString('utf8', start, end), receiveId: plain.toString('utf8', end) }
}

/** Checks and removes the padding of the last bytes of a plaintext. */
export function unpad(plain: Buffer): Buffer {
  const pad = plain.at(-1) ?? 0
  const body = plain.length - pad
  if (pad < 1 || pad > PAD_BLOCK || body < 0) throw badCiphertext('bad padding')
  if (!plain.subarray(body).every((byte) => byte === pad)) throw badCiphertext('bad padding')
  return plain.subarray(0, body)
}

function decryptBlocks(key: Buffer, cipher: Buffer): Buffer {
  if (cipher.length === 0 || cipher.length % PAD_BLOCK !== 0) throw badCiphertext('not whole blocks')
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  return Buffer.concat([decipher.update(cipher), decipher.final()])
}

function badCiphertext(reason: string): AppError {
  return new AppError('wecom.bad_ciphertext', `ciphertext refused: ${reason}`)
}
