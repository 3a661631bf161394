/**
 * The platform's side of callback and media encryption (doc 91144, 101033), written apart from the adapter's
 * so that the two check each other: AES-256-CBC, IV = first 16 key bytes, PKCS#7 to 32 bytes.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { AppError } from '../../../src/protocol/errors.ts'

const BLOCK = 32

const broken = (message: string): AppError =>
  new AppError('simulator.cipher', message, {
    hint: 'Compare token, EncodingAESKey and receiveid on both sides.',
  })

/** 32 key bytes from base64 with or without its `=`. */
export function keyBytes(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64')
  if (key.length !== 32) throw broken(`AES key has ${key.length} bytes instead of 32`)
  return key
}

/** Encrypts bytes as the media host does. */
export function seal(plain: Uint8Array, key: Buffer): Buffer {
  const size = BLOCK - (plain.length % BLOCK)
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  return Buffer.concat([cipher.update(plain), cipher.update(Buffer.alloc(size, size)), cipher.final()])
}

/** Decrypts and takes the padding off. Throws `simulator.cipher` when a padding byte is wrong. */
export function unseal(sealed: Uint8Array, key: Buffer): Buffer {
  if (sealed.length === 0 || sealed.length % BLOCK !== 0)
    throw broken('ciphertext is not a multiple of 32 bytes')
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  const padded = Buffer.concat([decipher.update(sealed), decipher.final()])
  const size = padded.at(-1) ?? 0
  if (size < 1 || size > BLOCK || padded.subarray(-size).some((byte) => byte !== size)) {
    throw broken('padding is broken')
  }
  return padded.subarray(0, -size)
}

export function signature(token: string, timestamp: string, nonce: string, encrypted: string): string {
  const joined = [token, timestamp, nonce, encrypted].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )
  return createHash('sha1').update(joined.join('')).digest('hex')
}

/** Wraps a callback text: 16 random bytes, big-endian length, text, receiveid; base64. */
export function wrap(text: string, receiveId: string, aesKey: string, random: Uint8Array): string {
  if (random.length !== 16) throw broken('the random prefix has 16 bytes')
  const body = Buffer.from(text, 'utf8')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return seal(Buffer.concat([random, length, body, Buffer.from(receiveId)]), keyBytes(aesKey)).toString(
    'base64',
  )
}

/** Opens what `wrap` made and checks the receiveid. */
export function unwrap(encrypted: string, receiveId: string, aesKey: string): string {
  const plain = unseal(Buffer.from(encrypted, 'base64'), keyBytes(aesKey))
  const length = plain.length >= 20 ? plain.readUInt32BE(16) : Number.POSITIVE_INFINITY
  if (20 + length > plain.length) throw broken('the inner length passes the end')
  const id = plain.subarray(20 + length).toString('utf8')
  if (id !== receiveId) throw broken(`receiveid is "${id}" instead of "${receiveId}"`)
  return plain.subarray(20, 20 + length).toString('utf8')
}
