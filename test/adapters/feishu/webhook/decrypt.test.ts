import { createCipheriv } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createOpener,
  decodeSealed,
  decrypt,
  deriveKey,
} from '../../../../adapters/feishu/webhook/decrypt.ts'
import { encrypt } from './seal.ts'

const key = deriveKey('test key')

/** IV and blocks under our key, with whatever stands at the end of the plaintext. */
function sealRaw(plain: Uint8Array, iv: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
  return Buffer.concat([iv, cipher.update(plain), cipher.final()])
}

describe('a cipher that is kept', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const blocks = fc.integer({ min: 1, max: 40 }).chain((count) => bytes(count * 16))
  /** As a platform sends it; any plaintext, so mostly with bad padding; no ciphertext of ours; of any length. */
  const sealed = fc.oneof(
    fc
      .string({ unit: 'binary', maxLength: 600 })
      .map((text) => Buffer.from(encrypt(text, 'test key'), 'base64')),
    fc.tuple(blocks, bytes(16)).map(([plain, iv]) => sealRaw(plain, iv)),
    fc.tuple(blocks, fc.integer({ min: 0, max: 17 }), bytes(16)).map(([plain, padding, iv]) => {
      plain.fill(padding, Math.max(0, plain.length - padding))
      return sealRaw(plain, iv)
    }),
    blocks.map((noise) => Buffer.from(noise)),
    fc.uint8Array({ maxLength: 100 }).map((noise) => Buffer.from(noise)),
  )

  it('W9: opens ten thousand messages, good and bad in any order, exactly as one that is made for each', {
    timeout: 60_000,
  }, () => {
    const open = createOpener(key)
    let opened = 0
    fc.assert(
      fc.property(sealed, (message) => {
        const expected = decrypt(message.toString('base64'), key)
        if (expected !== undefined) opened++
        expect(open(message)).toBe(expected)
      }),
      { numRuns: 10_000, seed: 20_260_105 },
    )
    expect(opened).toBeGreaterThan(2_000)
  })

  it('W9: a padding counts only when every byte of it is right', () => {
    const open = createOpener(key)
    const plain = Buffer.alloc(32, 'a')
    const ending = (...end: number[]): Buffer => {
      const copy = Buffer.from(plain)
      copy.set(end, copy.length - end.length)
      return sealRaw(copy, Buffer.alloc(16, 3))
    }
    expect(open(ending(3, 3, 3))).toBe('a'.repeat(29))
    expect(open(ending(2, 3, 3))).toBeUndefined()
    expect(open(ending(0))).toBeUndefined()
    expect(open(ending(17))).toBeUndefined()
    expect(open(ending(...Array<number>(16).fill(16)))).toBe('a'.repeat(16))
  })

  it('W9: two keys never meet', () => {
    const other = createOpener(deriveKey('other key'))
    const message = decodeSealed(encrypt('hello', 'test key')) ?? Buffer.alloc(0)
    expect(other(message)).toBe(decrypt(message.toString('base64'), deriveKey('other key')))
    expect(createOpener(key)(message)).toBe('hello')
  })
})
