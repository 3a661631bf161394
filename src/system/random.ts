import { randomBytes } from 'node:crypto'
import type { Random } from '../protocol/ports.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** Cryptographic ids; `float` is for jitter only. */
export function createSystemRandom(): Random {
  return {
    id: (bytes = 16) => base32(randomBytes(bytes)),
    float: () => Math.random(),
  }
}

function base32(bytes: Uint8Array): string {
  let bits = 0
  let value = 0
  let text = ''
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >> bits) & 31]
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text
}
